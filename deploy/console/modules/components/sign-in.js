/** Signing in: one page for both services, and a dialog over whatever was being done when a session ended. */
import { asProblem } from "../api/problem.js";
import { Fragment, html, useEffect, useId, useState } from "../html.js";
import { DOORS, secondSignIn, signInToBoth } from "../session/doors.js";
import { renewal } from "../session/renewals.js";
import { useStore } from "../store.js";
import { t } from "../texts.js";
import { Dialog, Note, ProblemNote, Waiting } from "./feedback.js";
import { CheckField, TextField } from "./fields.js";
import { Form } from "./form.js";
import { PageHead } from "./page.js";

/** A name and a password, sent once for each press; a password that was taken is forgotten at once. */
function useSignIn(fixedUser, signIn) {
  const [user, setUser] = useState(fixedUser);
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await signIn(user, password);
      setPassword("");
    } catch (error) {
      setProblem(asProblem(error));
    }
    setBusy(false);
  };
  return { user, setUser, password, setPassword, problem, setProblem, isBusy, submit };
}

function SignInFields({ door, form, fixed }) {
  return html`<${TextField} label=${door.userLabel} value=${form.user} onInput=${form.setUser} needed
      fault=${form.problem?.of(door.userPath)}
      inputProps=${{ name: "username", autocomplete: "username", autocapitalize: "none", spellcheck: false, readonly: fixed, autofocus: !fixed }} />
    <${TextField} label=${t`Contraseña`} type="password" value=${form.password} onInput=${form.setPassword} needed
      fault=${form.problem?.of(door.passwordPath)}
      inputProps=${{ name: "password", autocomplete: "current-password", autofocus: fixed }} />`;
}

/** @param {{names: string[]}} props the services that can be chosen; where it is one, there is no choice */
export function SignInForm({ names }) {
  const [name, setName] = useState(names[0]);
  const [isForBoth, setForBoth] = useState(false);
  const door = DOORS[name];
  const other = Object.values(DOORS).find((each) => each !== door);
  const isOtherOut = useStore(other.session).status === "out";
  const both = isForBoth && isOtherOut;
  const form = useSignIn("", async (user, password) => {
    setForBoth(false); // whatever comes of it, it isn't tried again unasked
    await (both ? signInToBoth(user, password) : door.signIn(user, password));
    if (!both) secondSignIn.set(null);
  });
  const [tried, setTried] = useState(door);
  const submit = () => {
    setTried(both ? DOORS.gateway : door);
    return form.submit();
  };
  const choose = (chosen) => {
    setName(chosen);
    form.setProblem(null);
  };
  return html`<${Form} submitsOnEnter class="panel stack sign-in" onSubmit=${submit}>
    ${names.length > 1 && html`<${Choice} names=${names} name=${name} onChoose=${choose} />`}
    <${SignInFields} door=${door} form=${form} fixed=${false} />
    ${isOtherOut && html`<${CheckField} label=${t`Entrar con lo mismo en ${other.purpose}; allí se prueba una sola vez`} checked=${isForBoth} onInput=${setForBoth} />`}
    ${form.problem && html`<${ProblemNote} problem=${form.problem}>${tried !== door && html`<p>${t`Lo dijo ${tried.title}. En ${door.title} no se probó.`}</p>`}<//>`}
    <div class="actions"><button type="submit" class=${`main ${form.isBusy ? "busy" : ""}`} disabled=${form.isBusy}>${t`Entrar`}</button></div>
  <//>`;
}

function Choice({ names, name, onChoose }) {
  const id = useId();
  return html`<fieldset class="stack tight"><legend>${t`Para qué entra`}</legend>
    ${names.map((each) => html`<div class="check" key=${each}>
      <input type="radio" id=${`${id}-${each}`} name=${id} checked=${each === name} onChange=${() => onChoose(each)} />
      <label for=${`${id}-${each}`}>${DOORS[each].purpose}</label>
    </div>`)}
  </fieldset>`;
}

/** The page where one signs in. */
export function SignInPage({ names }) {
  return html`<${PageHead} title=${t`Entrar`} about=${names.length > 1 ? t`Hay dos servicios, cada uno con sus usuarios.` : DOORS[names[0]].purpose} />
    <${SignInForm} key=${names.join()} names=${names} />`;
}

/** What the second service said to the name and password of the first: by itself, on whatever page one is. */
export function SecondSignIn() {
  const state = useStore(secondSignIn);
  const [returns, gateway] = [useStore(DOORS.returns.session), useStore(DOORS.gateway.session)];
  const isOver = returns.status === "in" || gateway.status === "out";
  useEffect(() => {
    if (state?.problem && isOver) secondSignIn.set(null);
  }, [state, isOver]);
  if (!state) return null;
  if (state.isTrying) return html`<${Waiting} low>${t`Entrando en ${DOORS.returns.title}…`}<//>`;
  return html`<${Note} kind="warn" live title=${t`En ${DOORS.returns.title} no se entró`}>
    <p>${t`${state.problem.detail} No se volverá a probar con esa contraseña.`}</p>
    <div class="actions"><button type="button" class="small" onClick=${() => secondSignIn.set(null)}>${t`Entendido`}</button></div>
  <//>`;
}

export function RenewalDialog() {
  const asked = useStore(renewal);
  return asked && html`<${RenewalForm} key=${asked.name} asked=${asked} />`;
}

function RenewalForm({ asked }) {
  const door = DOORS[asked.name];
  const form = useSignIn(asked.user, async (user, password) => {
    await door.signIn(user, password);
    asked.settle(true);
  });
  const turnAway = () => asked.settle(false);
  const another = async () => {
    turnAway();
    await door.signOut();
  };
  return html`<${Dialog} title=${t`Vuelva a entrar`} onClose=${turnAway} submitsOnEnter onSubmit=${form.submit} foot=${html`
      <button type="button" class="plain" onClick=${another}>${t`Salir`}</button>
      <button type="button" onClick=${turnAway}>${t`Ahora no`}</button>
      <button type="submit" class=${`main ${form.isBusy ? "busy" : ""}`} disabled=${form.isBusy}>${t`Entrar y seguir`}</button>`}>
    <p><strong>${door.title}.</strong> ${asked.problem.detail}</p>
    <p class="muted">${t`Lo que haya escrito sigue en la página; al entrar se continúa donde estaba.`}</p>
    <${SignInFields} door=${door} form=${form} fixed=${asked.user !== ""} />
    <${ProblemNote} problem=${form.problem} />
  <//>`;
}

/** Shows the page to whoever is signed in to its service, anew to another person, and the sign-in to others. */
export function Guard({ name, children }) {
  const door = DOORS[name];
  const session = useStore(door.session);
  if (session.status === "unknown") return null;
  if (session.status === "trouble") return html`<${ProblemNote} problem=${session.problem} onRetry=${door.start} />`;
  if (session.status === "out") return html`<${SignInPage} names=${[name]} />`;
  return html`<${Fragment} key=${door.service.person()}>${children}<//>`;
}

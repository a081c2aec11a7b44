/** Signing in: as a form on the page, and as a dialog over whatever was being done when a session ended. */
import { asProblem } from "../api/problem.js";
import { whenComplete } from "../forms/form.js";
import { Fragment, html, useId, useState } from "../html.js";
import { DOORS } from "../session/doors.js";
import { renewal } from "../session/renewals.js";
import { useStore } from "../store.js";
import { Dialog, ProblemNote } from "./feedback.js";
import { TextField } from "./fields.js";

function useSignIn(door, fixedUser, onDone) {
  const [user, setUser] = useState(fixedUser);
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await door.signIn(user, password);
      onDone?.();
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  return { user, setUser, password, setPassword, problem, isBusy, submit };
}

function SignInFields({ door, form, fixed }) {
  return html`<${TextField} label=${door.userLabel} value=${form.user} onInput=${form.setUser} needed
      fault=${form.problem?.of(door.userPath)}
      inputProps=${{ name: "username", autocomplete: "username", autocapitalize: "none", spellcheck: false, readonly: fixed }} />
    <${TextField} label="Contraseña" type="password" value=${form.password} onInput=${form.setPassword} needed
      fault=${form.problem?.of(door.passwordPath)}
      inputProps=${{ name: "password", autocomplete: "current-password", autofocus: fixed }} />
    <${ProblemNote} problem=${form.problem} />`;
}

export function SignInPanel({ name }) {
  const door = DOORS[name];
  const id = useId();
  const form = useSignIn(door, "", null);
  return html`<section class="panel" aria-labelledby=${id}>
    <header><h2 id=${id}>${door.title}</h2></header>
    <form class="stack" novalidate onSubmit=${whenComplete(form.submit)}>
      <p class="muted">${door.about}</p>
      <${SignInFields} door=${door} form=${form} fixed=${false} />
      <div class="actions"><button type="submit" class=${`main ${form.isBusy ? "busy" : ""}`} disabled=${form.isBusy}>Entrar</button></div>
    </form>
  </section>`;
}

export function RenewalDialog() {
  const asked = useStore(renewal);
  return asked && html`<${RenewalForm} key=${asked.name} asked=${asked} />`;
}

function RenewalForm({ asked }) {
  const door = DOORS[asked.name];
  const form = useSignIn(door, asked.user, () => asked.settle(true));
  const turnAway = () => asked.settle(false);
  const another = async () => {
    turnAway();
    await door.signOut();
  };
  return html`<${Dialog} title="Vuelva a entrar" onClose=${turnAway} onSubmit=${form.submit} foot=${html`
      <button type="button" class="plain" onClick=${another}>Salir</button>
      <button type="button" onClick=${turnAway}>Ahora no</button>
      <button type="submit" class=${`main ${form.isBusy ? "busy" : ""}`} disabled=${form.isBusy}>Entrar y seguir</button>`}>
    <p><strong>${door.title}.</strong> ${asked.problem.detail}</p>
    <p class="muted">Lo que haya escrito sigue en la página; al entrar se continúa donde estaba.</p>
    <${SignInFields} door=${door} form=${form} fixed=${asked.user !== ""} />
  <//>`;
}

/** Shows the page to whoever is signed in to its service, anew to another person, and the sign-in to others. */
export function Guard({ name, children }) {
  const door = DOORS[name];
  const session = useStore(door.session);
  if (session.status === "unknown") return null;
  if (session.status === "trouble") return html`<${ProblemNote} problem=${session.problem} onRetry=${door.start} />`;
  if (session.status === "out") return html`<div class="split"><div><h1 class="unseen">Entrar</h1><${SignInPanel} name=${name} /></div><div></div></div>`;
  return html`<${Fragment} key=${door.service.person()}>${children}<//>`;
}

/** The form that signs in to one service, or to both. */
import { html, useId, useState } from "../../html.js";
import { DOORS, secondSignIn, signInToBoth } from "../../session/doors.js";
import { useStore } from "../../store.js";
import { t } from "../../texts.js";
import { CheckField } from "../fields.js";
import { Form } from "../form.js";
import { ProblemNote } from "../problem-note.js";
import { SignInFields, useSignIn } from "./credentials.js";

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

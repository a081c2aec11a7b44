/** The sign-in over a page whose session ended. */
import { html } from "../../html.js";
import { DOORS } from "../../session/doors.js";
import { renewal } from "../../session/renewals.js";
import { useStore } from "../../store.js";
import { t } from "../../texts.js";
import { Dialog } from "../dialog.js";
import { ProblemNote } from "../problem-note.js";
import { SignInFields, useSignIn } from "./credentials.js";

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

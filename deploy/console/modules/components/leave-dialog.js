/** Asks whoever would leave a form with something typed in it. */
import { html } from "../html.js";
import { useStore } from "../store.js";
import { t } from "../texts.js";
import { leaving } from "../forms/unsaved.js";
import { Dialog } from "./dialog.js";

export function LeaveDialog() {
  const asked = useStore(leaving);
  if (!asked) return null;
  const stay = () => leaving.set(null);
  const go = () => {
    stay();
    asked.go();
  };
  return html`<${Dialog} title=${t`Lo que escribió no está guardado`} onClose=${stay} onSubmit=${go} foot=${html`
      <button type="submit" class="danger">${t`Salir sin guardar`}</button>
      <button type="button" class="main" autofocus onClick=${stay}>${t`Seguir escribiendo`}</button>`}>
    <p>${t`Si sale ahora, se pierde.`}</p>
  <//>`;
}

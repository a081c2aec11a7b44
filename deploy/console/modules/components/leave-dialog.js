/** Asks whoever would leave a form with something typed in it. */
import { html } from "../html.js";
import { useStore } from "../store.js";
import { leaving } from "../forms/unsaved.js";
import { Dialog } from "./feedback.js";

export function LeaveDialog() {
  const asked = useStore(leaving);
  if (!asked) return null;
  const stay = () => leaving.set(null);
  const go = () => {
    stay();
    asked.go();
  };
  return html`<${Dialog} title="Lo que escribió no está guardado" onClose=${stay} onSubmit=${go} foot=${html`
      <button type="submit" class="danger">Salir sin guardar</button>
      <button type="button" class="main" autofocus onClick=${stay}>Seguir escribiendo</button>`}>
    <p>Si sale ahora, se pierde.</p>
  <//>`;
}

/** An action of the ERP on a record, confirmed first. */
import { asProblem } from "../../api/problem.js";
import { actOnRecord, newIdempotencyKey } from "../../api/records.js";
import { Dialog } from "../../components/dialog.js";
import { Note } from "../../components/note.js";
import { ProblemNote } from "../../components/problem-note.js";
import { html, useState } from "../../html.js";
import { t } from "../../texts.js";
import { ACTIONS } from "./names.js";

export function ActionDialog({ title, resource, recordKey, etag, action, onClose, onDone }) {
  const [idempotencyKey] = useState(newIdempotencyKey);
  const [state, setState] = useState({ isBusy: false, problem: null });
  const act = async () => {
    setState({ isBusy: true, problem: null });
    try {
      await actOnRecord(resource.name, recordKey, action, { etag: resource.etag ? etag : null, idempotencyKey });
      onDone();
    } catch (error) {
      setState({ isBusy: false, problem: asProblem(error) });
    }
  };
  const word = ACTIONS[action] ?? action;
  return html`<${Dialog} title=${`${word}: ${title}`} onClose=${onClose} onSubmit=${act} foot=${html`
      <button type="button" onClick=${onClose}>${t`Cancelar`}</button>
      <button type="submit" class="danger main" disabled=${state.isBusy}>${state.isBusy && html`<span class="busy"></span>`}${word}</button>`}>
    <${Note} kind="warn">${t`Se hace en el ERP y puede que no tenga vuelta atrás.`}<//>
    <${ProblemNote} problem=${state.problem} />
  <//>`;
}

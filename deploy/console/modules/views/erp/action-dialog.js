/** An action of the ERP on a record: what it will do is explained, and it is confirmed once. */
import { actOnRecord } from "../../api/records.js";
import { Dialog } from "../../components/dialog.js";
import { Note } from "../../components/note.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { useWriting, WriteProblem } from "./forms/writing.js";
import { headOf } from "./heads.js";
import { ACTIONS, effectOf } from "./record-actions.js";

/**
 * @param {object} props
 * @param {string} props.title of the record
 * @param {any} props.resource
 * @param {string} props.recordKey
 * @param {string | null} props.etag of the version that was read
 * @param {string} props.action
 * @param {() => void} props.onClose
 * @param {(text: string) => void} props.onDone
 */
export function ActionDialog({ title, resource, recordKey, etag, action, onClose, onDone }) {
  const writing = useWriting();
  const word = ACTIONS[action] ?? action;
  const act = async () => {
    const { done, problem } = await writing.write(action, (idempotencyKey) => actOnRecord(resource.name, recordKey, action, { etag: resource.etag ? etag : null, idempotencyKey }));
    if (problem) return;
    const made = done?.[resource.columns[0]?.name] === undefined ? null : headOf(resource, done, "").title;
    onDone(made ? t`${title}: hecho. Se creó ${made}.` : t`${title}: hecho.`);
  };
  return html`<${Dialog} title=${`${word}: ${title}`} onClose=${onClose} onSubmit=${act} foot=${html`
      <button type="button" onClick=${onClose}>${t`Cancelar`}</button>
      <button type="submit" class="danger main" disabled=${writing.isBusy}>${writing.isBusy && html`<span class="busy"></span>`}${word}</button>`}>
    <${Note} kind="warn">${effectOf(resource.name, action) ?? t`Se hace en el ERP y puede que no tenga vuelta atrás.`}<//>
    <${WriteProblem} problem=${writing.problem} />
  <//>`;
}

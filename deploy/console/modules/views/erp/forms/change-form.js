/** Changing a record: only what differs is sent, and only over the version that was read. */
import { DraftOffer } from "../../../components/draft-offer.js";
import { SelectField } from "../../../components/fields.js";
import { Form } from "../../../components/form.js";
import { html, useLayoutEffect } from "../../../html.js";
import { t } from "../../../texts.js";
import { isScalar } from "../line-columns.js";
import { estimateOf, totalsOf } from "../totals.js";
import { knownFirst } from "../write-value.js";
import { useChange } from "./change-state.js";
import { ChangedLines } from "./changed-lines.js";
import { ConflictDialog } from "./conflict/conflict-dialog.js";
import { EditBar } from "./edit-bar.js";
import { linesAfter } from "./row-shapes.js";
import { TypedField } from "./typed-inputs.js";
import { WriteProblem } from "./writing.js";

export function ChangeForm({ resource, described, recordKey, record, etag, onDone, onCancel, onReload }) {
  const change = useChange({ resource, described, recordKey, record, etag, onDone, onReload });
  const { form, writing, collections, conflict } = change;
  useLayoutEffect(() => /** @type {HTMLElement | null} */ (form.box.current.querySelector("input, select"))?.focus(), []); // the button that was pressed is gone
  const mayResize = described.isComplete && resource.replacesCollections && resource.etag && Boolean(etag); // over another version, others' lines would go
  return html`<${Form} box=${form.box} class="stack" onSubmit=${change.send}>
    <${DraftOffer} form=${form} />
    <${ChangedFields} resource=${resource} described=${described} record=${record} change=${change} />
    ${collections.map((each) => html`<${ChangedLines} key=${each.shape.name} rows=${record[each.shape.name]} changes=${each} faults=${change.faults} mayResize=${mayResize} />`)}
    <${WriteProblem} problem=${writing.problem} described=${described} />
    <${EditBar} who=${record.CardName} ...${totalsAfter(record, change.collected)} described=${described}>
      <button type="submit" class="main" disabled=${writing.isBusy || change.isUnchanged}>${writing.isBusy && html`<span class="busy"></span>`}${t`Guardar cambios`}</button>
      <button type="button" onClick=${() => form.leave(onCancel)}>${t`Cancelar`}</button>
    <//>
    ${conflict && html`<${ConflictDialog} resource=${resource} described=${described} before=${record} conflict=${conflict} collected=${change.collected} isBusy=${writing.isBusy} problem=${writing.problem}
      onMerge=${change.merge} onTakeTheirs=${() => change.end(onReload)} onClose=${change.closeConflict} />`}
  <//>`;
}

/** The totals of a document; an estimate once its lines are changed. */
function totalsAfter(record, { changes, parts }) {
  const totals = totalsOf(record);
  const lines = parts.find(({ shape }) => shape.name === "DocumentLines");
  const isEstimate = totals !== null && lines !== undefined && lines.shape.name in changes;
  return { totals: isEstimate ? estimateOf(record, linesAfter(lines)) : totals, isEstimate };
}

function ChangedFields({ resource, described, record, change }) {
  const keyNames = resource.key.map((part) => part.name);
  const others = Object.keys(record).filter((name) => isScalar(record[name]) && described.isNamed(name) && !change.names.includes(name) && !keyNames.includes(name) && !name.includes("odata"));
  const offered = knownFirst(others.map((name) => ({ name, title: described.titleOf(name) })));
  return html`<section class="panel" aria-label=${t`Datos`}><div class="stack">
    <div class="fields">
      ${change.names.map((name) => html`<${TypedField} key=${name} column=${change.columnOf(name)} value=${change.textOf(name)} fault=${change.faults[name] ?? change.writing.problem?.of(name)}
        wide=${name === "Comments"} onInput=${change.type(name)} />`)}
    </div>
    <div class="row"><${SelectField} label=${t`Otro campo`} value="" empty=${t`Añadir…`} onInput=${change.addName}
      options=${offered.map(({ name, title }) => ({ value: name, label: title }))} /></div>
  </div></section>`;
}

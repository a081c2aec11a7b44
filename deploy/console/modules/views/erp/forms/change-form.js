/** Changing a record: only what differs is sent, and only over the version that was read. */
import { DraftOffer } from "../../../components/draft-offer.js";
import { SelectField } from "../../../components/fields.js";
import { Form } from "../../../components/form.js";
import { readHistory } from "../../../api/gateway.js";
import { changeRecord, readRecord } from "../../../api/records.js";
import { Problem } from "../../../api/problem.js";
import { html, useLayoutEffect, useState } from "../../../html.js";
import { t } from "../../../texts.js";
import { useForm } from "../../../forms/form.js";
import { gateway } from "../../../session/gateway-session.js";
import { ChangedLines, useLines } from "./changed-lines.js";
import { ConflictDialog } from "./conflict-dialog.js";
import { EditBar } from "./edit-bar.js";
import { linesAfter, rowsToSend, shapesOf } from "./row-shapes.js";
import { TypedField, asText, readText } from "./typed-inputs.js";
import { estimateOf, totalsOf } from "../totals.js";
import { isScalar } from "../line-columns.js";
import { knownFirst } from "../write-value.js";
import { typedInLines } from "./typed-places.js";
import { faultsOfRefusal } from "./unknown-codes.js";
import { WriteProblem, useWriting } from "./writing.js";

const LATEST = 10; // among them the last one that was done
const DOCUMENT_FIELDS = ["DocDueDate", "NumAtCard", "Comments"];

export const changeName = (resource, key) => `cambiar/${resource}/${key}`;

export function ChangeForm({ resource, described, recordKey, record, etag, onDone, onCancel, onReload }) {
  const [shapes] = useState(() => shapesOf(record, described)); // as many as at first: each has its hooks
  const collections = shapes.map(useLines);
  const keyNames = resource.key.map((part) => part.name);
  const first = shapes.some((shape) => shape.number === "LineNum") ? DOCUMENT_FIELDS.filter((name) => name in record) : resource.columns.map((column) => column.name).filter((name) => !keyNames.includes(name));
  const [names, setNames] = useState(first);
  const [texts, setTexts] = useState({});
  const [faults, setFaults] = useState({});
  const [conflict, setConflict] = useState(null);
  const writing = useWriting();

  const columnOf = (name) => described.fieldOf(name, record[name]);
  const textOf = (name) => texts[name] ?? asText(record[name], columnOf(name).type);
  /** What is sent over this version of the record; faults by field. */
  const collect = (base) => {
    const found = {};
    const changes = {};
    for (const [name, text] of Object.entries(texts)) {
      const { type } = columnOf(name);
      const { value, fault } = readText(text, type);
      if (fault) found[name] = fault;
      else if (text !== asText(record[name], type) && value !== record[name]) changes[name] = value;
    }
    const parts = collections.map(({ shape, read }) => ({ shape, before: base[shape.name] ?? [], done: read(base[shape.name] ?? [], found) }));
    const replaces = parts.some(({ shape, before, done }) => before.some((row) => done.removed.has(row[shape.number])));
    for (const { shape, before, done } of parts) {
      const rows = rowsToSend(shape, before, done, replaces);
      if (rows.length) changes[shape.name] = rows;
    }
    return { changes, replaces, resizes: replaces || parts.some(({ done }) => done.fresh.length > 0), found, parts };
  };
  const { changes, found: faulty, parts } = collect(record);
  const lines = parts.find(({ shape }) => shape.name === "DocumentLines");
  const totals = totalsOf(record);
  const areLinesChanged = totals !== null && lines !== undefined && lines.shape.name in changes;
  const typed = () => [
    ...Object.entries(texts).map(([name, text]) => ({ path: name, name, text, line: null, lookup: columnOf(name).lookup })),
    ...collections.flatMap(({ shape, added }) => typedInLines(added, shape.fresh, { prefix: `${shape.name}.new.`, before: record[shape.name]?.length ?? 0 })),
  ];
  const send = async (over, base) => {
    const { changes, replaces, resizes, found } = collect(base);
    setFaults(found);
    if (Object.keys(found).length) return;
    if (Object.keys(changes).length === 0) return end(onDone); // somebody else has done the same
    const { done, problem } = await writing.write({ changes, replaces, over }, async (idempotencyKey) => {
      if (resizes && !over) throw new Problem({ code: "no_version", detail: t`No se sabe qué versión del registro es; así no se quitan ni se añaden líneas.` });
      return changeOrNow(() => changeRecord(resource.name, recordKey, changes, { etag: resource.etag ? over : null, idempotencyKey, replaces }));
    });
    if (problem) return setFaults(await faultsOfRefusal(problem, typed()));
    if (done) setConflict(done);
    else end(onDone);
  };
  const end = (go) => {
    form.saved();
    go();
  };
  /** Nothing where the change was made; the record as it is now where somebody else was faster. */
  const changeOrNow = async (change) => {
    try {
      await change();
      return null;
    } catch (error) {
      if (error.status !== 412) throw error;
      const last = readHistory(resource.name, recordKey, { pageSize: LATEST }).then(({ items }) => items.find(({ result }) => result === "ok"), () => null);
      const [now, lastDone] = await Promise.all([readRecord(resource.name, recordKey), last]);
      return { ...now, lastDone };
    }
  };
  const isUnchanged = Object.keys(changes).length === 0 && Object.keys(faulty).length === 0;
  const form = useForm({
    service: gateway, name: changeName(resource.name, recordKey), stamp: etag,
    typed: { texts, names, rows: Object.fromEntries(collections.map((each) => [each.shape.name, each.typed])), intended: writing.intended.current },
    isTouched: !isUnchanged, isHeld: !isUnchanged && !writing.mayBeDone,
    restore: (typed) => {
      setTexts(typed.texts);
      setNames(typed.names);
      for (const each of collections) if (typed.rows[each.shape.name]) each.restore(typed.rows[each.shape.name]);
      writing.intended.current = typed.intended;
    },
    refusal: Object.keys(faults).length ? faults : writing.problem,
  });
  useLayoutEffect(() => /** @type {HTMLElement | null} */ (form.box.current.querySelector("input, select"))?.focus(), []); // the button that was pressed is gone
  const mayResize = described.isComplete && resource.replacesCollections && resource.etag && Boolean(etag); // over another version, others' lines would go
  const others = Object.keys(record).filter((name) => isScalar(record[name]) && !names.includes(name) && !keyNames.includes(name) && !name.includes("odata"));
  const offered = knownFirst(others.map((name) => ({ name, title: described.titleOf(name) })));
  return html`<${Form} box=${form.box} class="stack" onSubmit=${() => send(etag, record)}>
    <${DraftOffer} form=${form} />
    <section class="panel" aria-label=${t`Datos`}><div class="stack">
      <div class="fields">
        ${names.map((name) => html`<${TypedField} key=${name} column=${columnOf(name)} value=${textOf(name)} fault=${faults[name] ?? writing.problem?.of(name)}
          wide=${name === "Comments"} onInput=${(text) => setTexts((now) => ({ ...now, [name]: text }))} />`)}
      </div>
      <div class="row"><${SelectField} label=${t`Otro campo`} value="" empty=${t`Añadir…`} onInput=${(name) => name && setNames([...names, name])}
        options=${offered.map(({ name, title }) => ({ value: name, label: title }))} /></div>
    </div></section>
    ${collections.map((each) => html`<${ChangedLines} key=${each.shape.name} rows=${record[each.shape.name]} changes=${each} faults=${faults} mayResize=${mayResize} />`)}
    <${WriteProblem} problem=${writing.problem} described=${described} />
    <${EditBar} who=${record.CardName} totals=${areLinesChanged ? estimateOf(record, linesAfter(lines)) : totals} isEstimate=${areLinesChanged} described=${described}>
      <button type="submit" class="main" disabled=${writing.isBusy || isUnchanged}>${writing.isBusy && html`<span class="busy"></span>`}${t`Guardar cambios`}</button>
      <button type="button" onClick=${() => form.leave(onCancel)}>${t`Cancelar`}</button>
    <//>
    ${conflict && html`<${ConflictDialog} described=${described} before=${record} now=${conflict.record} lastDone=${conflict.lastDone} mine=${collect(conflict.record).changes} collections=${collections} isBusy=${writing.isBusy} problem=${writing.problem}
      onKeepMine=${() => send(conflict.etag, conflict.record)} onTakeTheirs=${() => end(onReload)} onClose=${() => setConflict(null)} />`}
  <//>`;
}

/** Changing a record: only what differs is sent, and only over the version that was read. */
import { SelectField } from "../../components/fields.js";
import { Table } from "../../components/table.js";
import { changeRecord, readRecord } from "../../api/records.js";
import { html, useState } from "../../html.js";
import { ConflictDialog } from "./conflict-dialog.js";
import { TypedField, asText, readText } from "./typed-inputs.js";
import { guessType, isScalar, titleOf } from "./values.js";
import { WriteProblem, useWriting } from "./writing.js";

const DOCUMENT_FIELDS = ["DocDueDate", "NumAtCard", "Comments"];
const LINE_FIELDS = ["Quantity", "UnitPrice"];

/** The collection whose lines can be changed one by one: numbered lines with items. */
const linesName = (record) => Object.keys(record).find((name) => Array.isArray(record[name]) && record[name][0]?.LineNum !== undefined && "ItemCode" in record[name][0]);

function columnOf(name, resource, record) {
  const known = resource.columns.find((column) => column.name === name);
  return known ?? { name, title: titleOf(name), type: guessType(record[name], name), choices: [] };
}

export function ChangeForm({ resource, recordKey, record, etag, onDone, onCancel, onReload }) {
  const lines = linesName(record);
  const keyNames = resource.key.map((part) => part.name);
  const first = lines ? DOCUMENT_FIELDS.filter((name) => name in record) : resource.columns.map((column) => column.name).filter((name) => !keyNames.includes(name));
  const [names, setNames] = useState(first);
  const [texts, setTexts] = useState({});
  const [lineTexts, setLineTexts] = useState({});
  const [faults, setFaults] = useState({});
  const [conflict, setConflict] = useState(null);
  const writing = useWriting();

  const textOf = (name) => texts[name] ?? asText(record[name], columnOf(name, resource, record).type);
  const collect = () => {
    const found = {};
    const changes = {};
    for (const [name, text] of Object.entries(texts)) {
      const { type } = columnOf(name, resource, record);
      const { value, fault } = readText(text, type);
      if (fault) found[name] = fault;
      else if (text !== asText(record[name], type)) changes[name] = value;
    }
    const changed = [];
    for (const [number, fields] of Object.entries(lineTexts)) {
      const line = record[lines].find((each) => String(each.LineNum) === number);
      const lineChanges = {};
      for (const [field, text] of Object.entries(fields)) {
        const { value, fault } = readText(text, "number");
        if (fault || value === null) found[`${number}.${field}`] = fault ?? "Falta el número.";
        else if (value !== line[field]) lineChanges[field] = value;
      }
      if (Object.keys(lineChanges).length) changed.push({ LineNum: line.LineNum, ...lineChanges });
    }
    if (changed.length) changes[lines] = changed;
    return { changes, found };
  };
  const { changes } = collect();
  const send = async (over) => {
    const { found } = collect();
    setFaults(found);
    if (Object.keys(found).length) return;
    const { problem } = await writing.write({ changes, over }, (idempotencyKey) =>
      changeRecord(resource.name, recordKey, changes, { etag: resource.etag ? over : null, idempotencyKey }));
    if (!problem) return onDone();
    if (problem.status === 412) {
      writing.clear();
      setConflict(await readRecord(resource.name, recordKey));
    }
  };
  const isUnchanged = Object.keys(changes).length === 0;
  const others = Object.keys(record).filter((name) => isScalar(record[name]) && !names.includes(name) && !keyNames.includes(name) && !name.includes("odata"));
  return html`<form class="stack" novalidate onSubmit=${(event) => { event.preventDefault(); send(etag); }}>
    <section class="panel" aria-label="Datos"><div class="stack">
      <div class="fields">
        ${names.map((name) => html`<${TypedField} key=${name} column=${columnOf(name, resource, record)} value=${textOf(name)} fault=${faults[name] ?? writing.problem?.of(name)}
          wide=${name === "Comments"} onInput=${(text) => setTexts((now) => ({ ...now, [name]: text }))} />`)}
      </div>
      <div class="row"><${SelectField} label="Otro campo" value="" empty="Añadir…" onInput=${(name) => name && setNames([...names, name])}
        options=${others.map((name) => ({ value: name, label: titleOf(name, resource.columns) }))} /></div>
    </div></section>
    ${lines && html`<section class="panel flush">
      <header><h2>Líneas</h2></header>
      <${Table} caption="Líneas que se pueden cambiar" rows=${record[lines]} rowKey=${(line) => line.LineNum} columns=${lineColumns(lineTexts, faults, (number, field, text) =>
        setLineTexts((now) => ({ ...now, [number]: { ...now[number], [field]: text } })))} />
    </section>`}
    <${WriteProblem} problem=${writing.problem} />
    <div class="actions">
      <button type="submit" class="main" disabled=${writing.isBusy || isUnchanged}>${writing.isBusy && html`<span class="busy"></span>`}Guardar cambios</button>
      <button type="button" onClick=${onCancel}>Cancelar</button>
    </div>
    ${conflict && html`<${ConflictDialog} resource=${resource} before=${record} now=${conflict.record} mine=${changes} isBusy=${writing.isBusy} problem=${writing.problem}
      onKeepMine=${() => send(conflict.etag)} onTakeTheirs=${onReload} onClose=${() => setConflict(null)} />`}
  </form>`;
}

function lineColumns(lineTexts, faults, onInput) {
  const input = (field) => ({
    key: field, title: titleOf(field), controls: false,
    cell: (line) => {
      const fault = faults[`${line.LineNum}.${field}`];
      return html`<input inputmode="decimal" aria-label=${`${titleOf(field)} de ${line.ItemCode}, línea ${line.LineNum + 1}`} aria-invalid=${fault ? "true" : undefined}
        value=${lineTexts[line.LineNum]?.[field] ?? asText(line[field], "number")} onInput=${(event) => onInput(line.LineNum, field, event.target.value)} />
        ${fault && html`<span class="note">${fault}</span>`}`;
    },
  });
  return [
    { key: "ItemCode", title: titleOf("ItemCode"), head: true, cell: (line) => html`<span class="mono">${line.ItemCode}</span><span class="note">${line.ItemDescription}</span>` },
    ...LINE_FIELDS.map(input),
  ];
}

/** The lines of a document in its change form: changed, taken out, added. */
import { Table } from "../../../components/table.js";
import { html, useState } from "../../../html.js";
import { NewLines, readNewLines } from "./new-lines.js";
import { asText, readText } from "./typed-inputs.js";
import { titleOf } from "../../../titles.js";

const LINE_FIELDS = ["Quantity", "UnitPrice"];

/** The collection whose lines can be changed one by one: numbered lines with items. */
export const linesName = (record) => Object.keys(record).find((name) => Array.isArray(record[name]) && record[name][0]?.LineNum !== undefined && "ItemCode" in record[name][0]);

/** What the person did with the lines, and what has to be sent for it. */
export function useLines(name) {
  const [texts, setTexts] = useState({});
  const [removed, setRemoved] = useState(new Set());
  const [added, setAdded] = useState([]);

  const changedFields = (line, faults) => {
    const changes = {};
    for (const [field, text] of Object.entries(texts[line.LineNum] ?? {})) {
      const { value, fault } = readText(text, "number");
      if (fault || value === null) faults[`${line.LineNum}.${field}`] = fault ?? "Falta el número.";
      else if (value !== line[field]) changes[field] = value;
    }
    return changes;
  };
  /**
   * The rows to send over this version of the record, whether they are to be all that there are, and whether they
   * are others than before.
   *
   * A row without its number would overwrite the one at its place: new rows go behind the numbers of all rows that
   * stay. Where one is taken out, the rows that are not sent are deleted; they are those of this very version.
   */
  const over = (record, faults) => {
    const before = record[name] ?? [];
    const staying = before.filter((line) => !removed.has(line.LineNum));
    const replaces = staying.length < before.length;
    const fresh = readNewLines(added, faults);
    const known = staying.map((line) => ({ LineNum: line.LineNum, ...changedFields(line, faults) }));
    const rows = replaces || fresh.length > 0 ? [...known, ...fresh] : known.filter((row) => Object.keys(row).length > 1);
    return { rows, replaces, resizes: replaces || fresh.length > 0 };
  };
  const type = (number, field) => (text) => setTexts((now) => ({ ...now, [number]: { ...now[number], [field]: text } }));
  const toggle = (number) => {
    const next = new Set(removed);
    if (!next.delete(number)) next.add(number);
    setRemoved(next);
  };
  const restore = (draft) => {
    setTexts(draft.texts);
    setRemoved(new Set(draft.removed));
    setAdded(draft.added);
  };
  return { texts, type, removed, toggle, added, setAdded, over, typed: { texts, removed: [...removed], added }, restore };
}

/** @param {{mayResize: boolean, [name: string]: any}} props whether lines may be taken out and added */
export function ChangedLines({ record, name, changes, faults, mayResize }) {
  const isLast = record[name].length - changes.removed.size === 1;
  const columns = lineColumns(changes, faults);
  if (mayResize) {
    columns.push({
      key: "out", title: "Quitar", quiet: true, controls: true,
      cell: (line) => {
        const isOut = changes.removed.has(line.LineNum);
        return html`<button type="button" class="small" disabled=${!isOut && isLast} onClick=${() => changes.toggle(line.LineNum)}
          aria-label=${`${isOut ? "No quitar" : "Quitar"} ${line.ItemCode}, línea ${line.LineNum + 1}`}>${isOut ? "No quitar" : "Quitar"}</button>`;
      },
    });
  }
  return html`<section class="panel flush">
      <header><h2>Líneas</h2></header>
      <${Table} caption="Líneas que se pueden cambiar" rows=${record[name]} rowKey=${(line) => line.LineNum} columns=${columns} rowClass=${(line) => (changes.removed.has(line.LineNum) ? "out" : "")} />
    </section>
    ${mayResize && html`<section class="panel" aria-label="Líneas nuevas"><${NewLines} lines=${changes.added} onChange=${changes.setAdded} faults=${faults} /></section>`}`;
}

function lineColumns({ texts, type, removed }, faults) {
  const input = (field) => ({
    key: field, title: titleOf(field),
    cell: (line) => {
      const fault = faults[`${line.LineNum}.${field}`];
      return html`<input inputmode="decimal" aria-label=${`${titleOf(field)} de ${line.ItemCode}, línea ${line.LineNum + 1}`} aria-invalid=${fault ? "true" : undefined}
        disabled=${removed.has(line.LineNum)} value=${texts[line.LineNum]?.[field] ?? asText(line[field], "number")} onInput=${(event) => type(line.LineNum, field)(event.target.value)} />
        ${fault && html`<span class="note">${fault}</span>`}`;
    },
  });
  const item = (line) => html`<span class="mono">${line.ItemCode}</span><span class="note">${line.ItemDescription}${removed.has(line.LineNum) && html` <strong>Se quita</strong>`}</span>`;
  return [{ key: "ItemCode", title: titleOf("ItemCode"), head: true, cell: item }, ...LINE_FIELDS.map(input)];
}

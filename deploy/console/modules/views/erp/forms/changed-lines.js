/** The rows of a record's collection in its change form: changed, taken out, added. */
import { Table } from "../../../components/table/table.js";
import { noteDrawn } from "../../../forms/filled-in.js";
import { html, useState } from "../../../html.js";
import { t } from "../../../texts.js";
import { NewLines } from "./new-lines.js";
import { readNewLines } from "./read-fields.js";
import { asText, readText } from "./typed-values.js";

const freshOf = (shape) => ({ columns: shape.fresh, prefix: `${shape.name}.new.`, needed: shape.needed });

/** What the person did with the rows of one collection. */
export function useLines(shape) {
  const [texts, setTexts] = useState({});
  const [removed, setRemoved] = useState(new Set());
  const [added, setAdded] = useState([]);

  const changedFields = (row, faults) => {
    const changes = {};
    for (const [field, text] of Object.entries(texts[row[shape.number]] ?? {})) {
      const { value, fault } = readText(text, shape.type);
      const isMissing = shape.type === "number" && value === null;
      if (fault || isMissing) faults[faultName(shape, row, field)] = fault ?? t`Falta el número.`;
      else if (value !== (row[field] ?? null)) changes[field] = value;
    }
    return changes;
  };
  /** The changes over this version of the record's rows, by their numbers. */
  const read = (before, faults) => ({
    changes: Object.fromEntries(before.map((row) => [row[shape.number], changedFields(row, faults)])),
    removed,
    fresh: readNewLines(added, faults, freshOf(shape)),
  });
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
  return { shape, texts, type, removed, toggle, added, setAdded, read, typed: { texts, removed: [...removed], added }, restore };
}

const faultName = (shape, row, field) => `${shape.name}.${row[shape.number]}.${field}`;

/** @param {{mayResize: boolean, [name: string]: any}} props whether rows may be taken out and added */
export function ChangedLines({ rows, changes, faults, mayResize }) {
  const { shape, removed } = changes;
  const isLast = rows.length - removed.size === 1;
  const columns = lineColumns(changes, faults);
  if (mayResize) {
    columns.push({
      key: "out", title: t`Quitar`, quiet: true, controls: true,
      cell: (row) => {
        const isOut = removed.has(row[shape.number]);
        return html`<button type="button" class="small" disabled=${!isOut && isLast} onClick=${() => changes.toggle(row[shape.number])}
          aria-label=${`${isOut ? t`No quitar` : t`Quitar`} ${row[shape.named]}${shape.placeOf(row)}`}>${isOut ? t`No quitar` : t`Quitar`}</button>`;
      },
    });
  }
  return html`<div class="stack" data-lines><section class="panel flush">
      <header><h2>${shape.title}</h2></header>
      <${Table} caption=${shape.caption} rows=${rows} rowKey=${(row) => row[shape.number]} columns=${columns} rowClass=${(row) => (removed.has(row[shape.number]) ? "out" : "")} />
    </section>
    ${mayResize && html`<section class="panel" aria-label=${t`${shape.title}: las nuevas`}><${NewLines} ...${freshOf(shape)} lines=${changes.added} onChange=${changes.setAdded} faults=${faults} another=${shape.another} called=${shape.called} /></section>`}</div>`;
}

function lineColumns({ shape, texts, type, removed }, faults) {
  const titleIn = shape.titleOf;
  const input = (field) => ({
    key: field, title: titleIn(field),
    cell: (row) => {
      const number = row[shape.number];
      const fault = faults[faultName(shape, row, field)];
      return html`<input ref=${(input) => noteDrawn(input)} inputmode=${shape.type === "number" ? "decimal" : undefined} aria-label=${`${titleIn(field)} de ${row[shape.named]}${shape.placeOf(row)}`} aria-invalid=${fault ? "true" : undefined}
        disabled=${removed.has(number)} value=${texts[number]?.[field] ?? asText(row[field], shape.type)} onInput=${(event) => type(number, field)(event.target.value)} />
        ${fault && html`<span class="note">${fault}</span>`}`;
    },
  });
  const named = (row) => html`<span class="mono">${row[shape.named]}</span><span class="note">${shape.said ? row[shape.said] : shape.placeOf(row)}${removed.has(row[shape.number]) && html` <strong>${t`Se quita`}</strong>`}</span>`;
  return [{ key: shape.named, title: titleIn(shape.named), head: true, cell: named }, ...shape.fields.map(input)];
}

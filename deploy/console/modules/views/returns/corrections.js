/** Cells of a pasted table that could not be read: each with its item and value, to be corrected where it is listed. */
import { Form } from "../../components/form.js";
import { Table } from "../../components/table/table.js";
import { plural } from "../../formats.js";
import { noteDrawn } from "../../forms/filled-in.js";
import { html, useMemo, useState } from "../../html.js";
import { t } from "../../texts.js";
import { cellAt, readSheet, withCells } from "./paste-cells.js";
import { SHEET_COLUMNS } from "./words.js";

const keyOf = ({ fila, columna, code }) => `${fila} ${columna} ${code}`;

/**
 * @param {object} props
 * @param {any[]} props.notes
 * @param {Record<string, number>} props.columns where the table has each column
 * @param {string} props.text what was pasted
 * @param {boolean} props.isBusy
 * @param {(text: string) => void} props.onCorrect
 */
export function Corrections({ notes, columns, text, isBusy, onCorrect }) {
  const [typed, setTyped] = useState({});
  const sheet = useMemo(() => readSheet(text), [text]);
  const title = plural(notes.length, t`celda no se pudo leer y su fila quedó fuera`, t`celdas no se pudieron leer y sus filas quedaron fuera`);
  const placeOf = ({ columna }) => columns[columna];
  const changed = notes.filter((note) => typed[keyOf(note)] !== undefined);
  const correct = () => changed.length > 0 && onCorrect(withCells(sheet, changed.map((note) => ({ row: note.fila, column: placeOf(note), value: typed[keyOf(note)] }))));
  const itemOf = ({ fila }) => cellAt(sheet, fila, columns.codigo);
  const valueOf = (note) => typed[keyOf(note)] ?? cellAt(sheet, note.fila, placeOf(note));
  const input = (note) => html`<input ref=${(element) => noteDrawn(element)} value=${valueOf(note)} onInput=${(event) => setTyped((now) => ({ ...now, [keyOf(note)]: event.target.value }))}
    aria-label=${t`${SHEET_COLUMNS[note.columna] ?? note.columna} de la fila ${note.fila}, artículo ${itemOf(note)}`} />`;
  const shown = [
    { key: "fila", title: t`Fila`, number: true, cell: (note) => note.fila },
    { key: "item", title: t`Artículo`, cell: (note) => html`<span class="mono">${itemOf(note)}</span>` },
    { key: "columna", title: t`Columna`, cell: (note) => SHEET_COLUMNS[note.columna] ?? note.columna },
    { key: "valor", title: t`Valor`, cell: (note) => (placeOf(note) === undefined ? html`<code>${note.valor}</code>` : input(note)) },
    { key: "message", title: t`Qué pasa`, cell: (note) => note.message },
  ];
  return html`<${Form} submitsOnEnter class="panel flush" label=${title} onSubmit=${correct}>
    <header><h2>${title}</h2></header>
    <${Table} caption=${title} columns=${shown} rows=${notes} rowKey=${keyOf} />
    <div class="actions padded"><button type="submit" disabled=${isBusy || !changed.length}>${t`Corregir y ver de nuevo`}</button></div>
  <//>`;
}

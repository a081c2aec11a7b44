/** What of a pasted spreadsheet can be returned. */
import { Note } from "../../components/note.js";
import { Table } from "../../components/table/table.js";
import { plural } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { Corrections } from "./corrections.js";
import { DocumentsTable } from "./documents-table.js";
import { Figures } from "./figures.js";
import { LinesTable } from "./lines-table.js";
import { SHEET_COLUMNS } from "./words.js";

const NOTE_COLUMNS = [
  { key: "fila", title: t`Fila`, number: true, cell: (note) => note.fila },
  { key: "columna", title: t`Columna`, cell: (note) => SHEET_COLUMNS[note.columna] ?? note.columna },
  { key: "valor", title: t`Valor`, cell: (note) => html`<code>${note.valor}</code>` },
  { key: "message", title: t`Qué pasa`, cell: (note) => note.message },
];

const MORE_COLUMNS = [{ key: "filas", title: t`Filas`, cell: (line) => line.filas.join(", ") }];

/**
 * @param {object} props
 * @param {any} props.preview
 * @param {string} props.text the pasted text that it is of
 * @param {boolean} props.isFresh
 * @param {boolean} props.isBusy
 * @param {(text: string) => void} props.onCorrect
 * @param {any} [props.children]
 */
export function Preview({ preview, text, isFresh, isBusy, onCorrect, children }) {
  const { errores, avisos } = preview;
  return html`<section class="stack" aria-label=${t`Qué puede volver`} aria-live="polite">
    ${!isFresh && html`<${Note} kind="warn">${t`Esto es de antes del último cambio de la planilla.`}<//>`}
    <${Figures} planning=${preview} />
    ${children}
    ${errores.length > 0 && html`<${Corrections} key=${preview.huella} notes=${errores} columns=${preview.columnas} text=${text} isBusy=${isBusy || !isFresh} onCorrect=${onCorrect} />`}
    <section class="panel flush">
      <header><h2>${plural(preview.lineas.length, t`artículo`, t`artículos`)}</h2><span class="muted small">${plural(preview.filasLeidas, t`fila leída`, t`filas leídas`)}</span></header>
      <${LinesTable} caption=${t`Artículos de la planilla`} planning=${preview} rowKey=${(line) => `${line.itemCode} ${line.motivo}`} extra=${MORE_COLUMNS} />
    </section>
    ${avisos.length > 0 && html`<${Notes} title=${plural(avisos.length, t`aviso`, t`avisos`)} notes=${avisos} />`}
    <section class="panel flush">
      <header><h2>${plural(preview.documentos.length, t`documento por proveedor`, t`documentos por proveedor`)}</h2></header>
      <${DocumentsTable} planning=${preview} />
    </section>
  </section>`;
}

function Notes({ title, notes }) {
  return html`<section class="panel flush">
    <header><h2>${title}</h2></header>
    <${Table} caption=${title} columns=${NOTE_COLUMNS} rows=${notes} rowKey=${(note) => `${note.fila} ${note.columna} ${note.code}`} />
  </section>`;
}

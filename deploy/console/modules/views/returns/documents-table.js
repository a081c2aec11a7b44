/** The documents of a planning. */
import { Table } from "../../components/table/table.js";
import { money, number } from "../../formats.js";
import { html, useMemo } from "../../html.js";
import { t } from "../../texts.js";
import { numbered, PART_COLUMNS } from "./part-columns.js";
import { isGone, sheetOf } from "./sheet.js";
import { useStates } from "./state-filter.js";
import { documentState, StateBadge } from "./states.js";

const NO_COLUMNS = [];
const numberOf = (document) => (document.docNum === null ? t`el documento ${document.docId}` : t`la devolución N.º ${document.docNum}`);

const DOCUMENT_COLUMNS = [
  {
    key: "proveedor", title: t`Proveedor`, head: true, value: (row) => row.proveedor,
    cell: (row) => html`${row.proveedor || row.cardCode}<span class="note">${t`Documento ${row.docId} · ${row.cardCode}${row.rut && ` · ${row.rut}`}${row.parte > 1 && ` · parte ${row.parte}`}`}</span>`,
  },
  {
    key: "estado", title: t`Estado`, value: (row) => documentState(row)[0],
    cell: (row) => html`<${StateBadge} state=${documentState(row)} />
      ${row.replacedBy.length > 0 && html`<span class="note">${t`Lo ${row.replacedBy.length === 1 ? t`reemplaza` : t`reemplazan`} ${row.replacedBy.map(numberOf).join(t` y `)}.`}</span>`}
      ${row.mensaje && html`<span class="note">${row.mensaje}</span>`}`,
  },
  { key: "lineas", title: t`Líneas`, number: true, value: (row) => row.lineas, cell: (row) => number(row.lineas) },
  { key: "total", title: t`Total`, number: true, isMoney: true, value: (row) => row.total, adds: (row) => (isGone(row) ? null : row.moneda), cell: (row) => money(row.total, row.moneda) },
  { key: "docNum", title: t`Devolución`, number: true, value: (row) => row.docNum, cell: (row) => row.docNum !== null && `N.º ${row.docNum}` },
  { key: "folio", title: t`Folio`, number: true, value: (row) => row.folio, cell: (row) => row.folio },
];

const ITEM_COLUMN = {
  key: "item", title: t`Artículo`, head: true, value: ({ line }) => line.itemCode,
  cell: ({ line }) => html`<span class="nowrap mono">${line.itemCode}</span><span class="note">${line.descripcion}</span>`,
};

/**
 * Documents, which open to their items and the receipts that those came with.
 *
 * @param {{planning: {lineas: any[], documentos: any[]}, extra?: any[]}} props `extra`: more columns of an item in a document
 */
export function DocumentsTable({ planning, extra = NO_COLUMNS }) {
  const sheet = useMemo(() => sheetOf(planning), [planning]);
  const [rows, choice] = useStates(sheet, documentState, t`Documentos por estado`, t`Todos`);
  const inside = useMemo(() => ({
    label: (row) => t`Contenido del documento ${row.docId}, ${row.proveedor}`,
    has: (row) => row.parts.length > 0,
    content: (row) => html`<${Table} caption=${t`Artículos del documento ${row.docId}`} columns=${[ITEM_COLUMN, ...PART_COLUMNS, ...extra]} rows=${numbered(row.parts)} rowKey=${({ at }) => at} />`,
  }), [extra]);
  return html`${choice}${useMemo(() => html`<${Table} caption=${t`Documentos por proveedor`} layout="documentos de devolución" total=${rows.length < sheet.length ? t`Total de estos` : t`Total`} columns=${DOCUMENT_COLUMNS} rows=${rows} rowKey=${(row) => row.docId} inside=${inside}
    rowClass=${(row) => (row.estado === "omitido" ? "past" : "")} empty=${t`Nada de esto puede volver a un proveedor: las líneas dicen por qué.`} />`, [rows, inside])}`;
}

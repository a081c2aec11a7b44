/** What the pages of returns have in common: states, figures, supplier documents, lines. */
import { Badge } from "../../components/badge.js";
import { Table } from "../../components/table.js";
import { day, money, moneyTexts, number, sumTexts } from "../../formats.js";
import { html, useMemo, useState } from "../../html.js";
import { t } from "../../texts.js";
import { figuresOf, isGone, returningLines, sheetOf } from "./sheet.js";
import { DOCUMENT_STATES, LINE_STATES, PLANNING_STATES, wordOf } from "./words.js";

const KINDS = ["bad", "warn", "now", "ok", ""]; // problems first

function StateBadge({ state: [text, kind] }) {
  return html`<${Badge} kind=${kind}>${text}<//>`;
}
export const PlanningState = ({ state }) => html`<${StateBadge} state=${wordOf(PLANNING_STATES, state)} />`;

/** @returns {[string, string]} */
const documentState = ({ estado, lacks }) => (lacks ? [t`Faltan lotes o series`, "warn"] : wordOf(DOCUMENT_STATES, estado));

/** @returns {[string, string]} */
function lineState(line) {
  if (line.estado === "devuelta" && line.asignada < line.cantidad) return [t`Devuelta en parte`, "warn"];
  if (line.estado === "requiere_lotes" && line.gestion === "series") return [t`Elegir series`, "warn"];
  return wordOf(LINE_STATES, line.estado);
}

/** Rows of one state or of all, and the choice between them: `[rows, choice]`. */
function useStates(rows, stateOf, label, all) {
  const [wanted, setWanted] = useState(null);
  const counts = useMemo(() => {
    const found = new Map();
    for (const [text, kind] of rows.map(stateOf)) found.set(text, { kind, count: (found.get(text)?.count ?? 0) + 1 });
    return [...found].sort(([, one], [, other]) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind));
  }, [rows]);
  const chosen = counts.some(([text]) => text === wanted) ? wanted : null;
  const shown = useMemo(() => (chosen ? rows.filter((row) => stateOf(row)[0] === chosen) : rows), [rows, chosen]);
  const choices = [[null, all, rows.length], ...counts.map(([text, { count }]) => [text, text, count])];
  const choice = counts.length > 1 && html`<div class="states" role="group" aria-label=${label}>
    ${choices.map(([value, text, count]) => html`<button type="button" class="small" key=${text} aria-pressed=${String(value === chosen)} onClick=${() => setWanted(value)}>${text} <b>${number(count)}</b></button>`)}
  </div>`;
  return /** @type {[any[], any]} */ ([shown, choice]);
}

/** @param {{planning: {lineas: any[], documentos: any[]}}} props a planning or the preview of one */
export function Figures({ planning }) {
  const found = useMemo(() => figuresOf(planning), [planning]);
  const figures = [
    [t`Se pide`, sumTexts(found.pedida), ""],
    [t`Vuelve al proveedor`, sumTexts(found.asignada), "ok"],
    [t`Sin stock`, sumTexts(found.sinStock), found.sinStock.length ? "bad" : ""],
    [t`Sin entrada abierta`, sumTexts(found.sinEntrada), found.sinEntrada.length ? "bad" : ""],
    [t`No divisible`, sumTexts(found.noDivisible), found.noDivisible.length ? "warn" : ""],
    [t`Documentos`, [number(found.documentos)], ""],
    [t`Total sin impuestos`, moneyTexts(found.total), ""],
  ];
  return html`<dl class="figures">
    ${figures.map(([name, values, kind]) => html`<div><dt>${name}</dt>${values.map((value) => html`<dd class=${kind}>${value}</dd>`)}</div>`)}
  </dl>`;
}

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
const PART_COLUMNS = [
  { key: "recepcion", title: t`Recepción`, value: ({ part }) => part.baseNum, cell: ({ part }) => html`N.º ${part.baseNum}<span class="note">${day(part.baseFecha)}${part.baseReferencia && ` · ${part.baseReferencia}`}</span>` },
  {
    key: "cantidad", title: t`Cantidad`, number: true, value: ({ part }) => part.cantidad,
    cell: ({ line, part }) => html`${number(part.cantidad)} ${line.unidad}${part.factor !== 1 && html`<span class="note">${t`${number(part.cantidadDocumento)} de ${number(part.factor)} ${line.unidad}`}</span>`}`,
  },
  { key: "precio", title: t`Precio`, number: true, value: ({ part }) => part.precio, cell: ({ part }) => money(part.precio, part.moneda, { isPrice: true }) },
  {
    key: "lote", title: t`Lote o serie`, value: ({ part }) => part.lote ?? part.serie,
    cell: ({ line, part }) => part.lote ?? part.serie ?? (line.gestion === "ninguna" ? null : html`<${Badge} kind="warn">${t`Por elegir`}<//>`),
  },
];
const ITEM_COLUMN = {
  key: "item", title: t`Artículo`, head: true, value: ({ line }) => line.itemCode,
  cell: ({ line }) => html`<span class="nowrap mono">${line.itemCode}</span><span class="note">${line.descripcion}</span>`,
};
const SUPPLIER_COLUMN = { key: "proveedor", title: t`Proveedor`, head: true, value: (row) => row.supplier, cell: (row) => row.supplier };

const numbered = (parts) => parts.map((each, at) => ({ ...each, at }));

/**
 * Documents, which open to their items and the receipts that those came with.
 *
 * @param {{planning: {lineas: any[], documentos: any[]}, extra?: any[]}} props `extra`: more columns of an item in a document
 */
export function DocumentsTable({ planning, extra = NOTHING }) {
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
const NOTHING = [];

/** Lines with what becomes of each unit; why some cannot go back stands at the row, which opens to where the rest goes. */
export function LinesTable({ planning, rowKey, extra, caption }) {
  const { documentos } = planning;
  const lineas = useMemo(() => returningLines(planning), [planning]);
  const [lines, choice] = useStates(lineas, lineState, t`Líneas por estado`, t`Todas`);
  const inside = useMemo(() => {
    const names = new Map(documentos.map(({ docId, proveedor }) => [docId, proveedor]));
    const rowsOf = (line) => numbered(line.asignaciones.map((part) => ({ line, part, supplier: names.get(part.docId) || part.cardCode })));
    return {
      label: (line) => t`Recepciones de ${line.itemCode}`,
      has: (line) => line.asignaciones.length > 0,
      content: (line) => html`<${Table} caption=${t`Recepciones de ${line.itemCode}`} columns=${[SUPPLIER_COLUMN, ...PART_COLUMNS]} rows=${rowsOf(line)} rowKey=${({ at }) => at} />`,
    };
  }, [documentos]);
  const columns = useMemo(() => [...LINE_COLUMNS.filter(({ key, isRare }) => !isRare || lineas.some((line) => line[key] > 0)), ...extra], [lineas, extra]);
  // Five hundred rows are not compared anew with each key that is pressed beside them.
  return html`${choice}${useMemo(() => html`<${Table} caption=${caption} layout="líneas de devolución" total=${(lines.length < lineas.length ? t`Total de estas` : t`Total`) + (lines.some(({ excluida }) => excluida) ? t` sin las excluidas` : "")} isChoosable columns=${columns} rows=${lines} rowKey=${rowKey} inside=${inside}
    rowClass=${(line) => (line.excluida ? "out" : "")} empty=${t`No hay líneas: añada artículos con su código y cantidad.`} />`, [lines, columns, inside])}`;
}

const unitOf = (line) => (line.excluida ? null : line.unidad ?? "");
const LINE_COLUMNS = [
  { key: "item", title: t`Artículo`, head: true, text: (line) => line.itemCode, value: (line) => line.itemCode, cell: (line) => html`<span class="nowrap mono">${line.itemCode}</span><span class="note">${line.descripcion}</span>` },
  { key: "cantidad", title: t`Se pide`, number: true, value: (line) => line.cantidad, adds: unitOf, cell: (line) => `${number(line.cantidad)} ${line.unidad ?? ""}` },
  { key: "asignada", title: t`Vuelve`, number: true, value: (line) => line.asignada, adds: unitOf, cell: (line) => number(line.asignada) },
  { key: "sinStock", isRare: true, title: t`Sin stock`, number: true, value: (line) => line.sinStock, adds: unitOf, cell: (line) => line.sinStock > 0 && number(line.sinStock) },
  { key: "sinEntrada", isRare: true, title: t`Sin entrada`, number: true, value: (line) => line.sinEntrada, adds: unitOf, cell: (line) => line.sinEntrada > 0 && number(line.sinEntrada) },
  { key: "noDivisible", isRare: true, title: t`No divisible`, number: true, value: (line) => line.noDivisible, adds: unitOf, cell: (line) => line.noDivisible > 0 && number(line.noDivisible) },
  { key: "stock", title: t`En bodega`, number: true, value: (line) => line.stock, cell: (line) => number(line.stock) },
  { key: "estado", title: t`Estado`, value: (line) => lineState(line)[0], cell: (line) => html`<${StateBadge} state=${lineState(line)} />${line.mensaje && html`<span class="note">${line.mensaje}</span>`}` },
];

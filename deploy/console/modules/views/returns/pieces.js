/** What the pages of returns have in common: states, figures, supplier documents, lines. */
import { Badge } from "../../components/feedback.js";
import { Table } from "../../components/table.js";
import { money, number, plural } from "../../formats.js";
import { html, useMemo } from "../../html.js";
import { DOCUMENT_STATES, LINE_STATES, PLANNING_STATES, wordOf } from "./words.js";

function StateBadge({ words, state }) {
  const [text, kind] = wordOf(words, state);
  return html`<${Badge} kind=${kind}>${text}<//>`;
}
export const PlanningState = ({ state }) => html`<${StateBadge} words=${PLANNING_STATES} state=${state} />`;
export const DocumentState = ({ state }) => html`<${StateBadge} words=${DOCUMENT_STATES} state=${state} />`;
function LineState({ line }) {
  if (line.estado === "devuelta" && line.asignada < line.cantidad) return html`<${Badge} kind="warn">Devuelta en parte<//>`;
  if (line.estado === "requiere_lotes" && line.gestion === "series") return html`<${Badge} kind="warn">Elegir series<//>`;
  return html`<${StateBadge} words=${LINE_STATES} state=${line.estado} />`;
}

/** @param {{summary: object}} props `resumen` of a planning, or the same sums of a preview */
export function Figures({ summary }) {
  const figures = [
    ["Se pide", summary.pedida, ""],
    ["Vuelve al proveedor", summary.asignada, "ok"],
    ["Sin stock", summary.sinStock, summary.sinStock ? "bad" : ""],
    ["Sin entrada abierta", summary.sinEntrada, summary.sinEntrada ? "bad" : ""],
    ["No divisible", summary.noDivisible, summary.noDivisible ? "warn" : ""],
    ["Documentos", summary.documentos, ""],
  ];
  return html`<dl class="figures">
    ${figures.map(([name, value, kind]) => html`<div><dt>${name}</dt><dd class=${kind}>${number(value)}</dd></div>`)}
  </dl>`;
}

export function DocumentCards({ documents, children }) {
  if (!documents.length) return html`<p class="muted">Nada de esto puede volver a un proveedor.</p>`;
  return html`<ul class="cards-list">
    ${documents.map((document) => html`<li class="card" key=${document.docId}>
      <div class="top"><h3>${document.proveedor}</h3><${DocumentState} state=${document.estado} /></div>
      <dl class="pairs">
        <dt>Proveedor</dt><dd>${document.cardCode}${document.rut && ` · ${document.rut}`}</dd>
        <dt>Contenido</dt><dd>${plural(document.lineas, "línea", "líneas")}${document.parte > 1 ? `, parte ${document.parte}` : ""}</dd>
        <dt>Total</dt><dd>${money(document.total, document.moneda)}</dd>
        ${document.docNum != null && html`<dt>Devolución</dt><dd>N.º ${document.docNum}</dd>`}
        ${document.folio != null && html`<dt>Folio</dt><dd>${document.folio}</dd>`}
      </dl>
      ${document.mensaje && html`<p class="small">${document.mensaje}</p>`}
      ${children?.(document)}
    </li>`)}
  </ul>`;
}

/** Lines with what becomes of each unit; why some cannot go back stands at the row. */
export function LinesTable({ lines, rowKey, extra, caption }) {
  // Five hundred rows are not compared anew with each key that is pressed beside them.
  return useMemo(() => html`<${Table} caption=${caption} isChoosable columns=${[...LINE_COLUMNS, ...extra]} rows=${lines} rowKey=${rowKey} rowClass=${(line) => (line.excluida ? "out" : "")} empty="No hay líneas." />`, [lines, extra]);
}

const LINE_COLUMNS = [
  { key: "item", title: "Artículo", head: true, text: (line) => line.itemCode, value: (line) => line.itemCode, cell: (line) => html`<span class="nowrap mono">${line.itemCode}</span><span class="note">${line.descripcion}</span>` },
  { key: "cantidad", title: "Se pide", number: true, value: (line) => line.cantidad, cell: (line) => `${number(line.cantidad)} ${line.unidad ?? ""}` },
  { key: "asignada", title: "Vuelve", number: true, value: (line) => line.asignada, cell: (line) => number(line.asignada) },
  { key: "sinStock", title: "Sin stock", number: true, value: (line) => line.sinStock, cell: (line) => line.sinStock > 0 && number(line.sinStock) },
  { key: "sinEntrada", title: "Sin entrada", number: true, value: (line) => line.sinEntrada, cell: (line) => line.sinEntrada > 0 && number(line.sinEntrada) },
  { key: "noDivisible", title: "No divisible", number: true, value: (line) => line.noDivisible, cell: (line) => line.noDivisible > 0 && number(line.noDivisible) },
  { key: "stock", title: "En bodega", number: true, value: (line) => line.stock, cell: (line) => number(line.stock) },
  { key: "estado", title: "Qué pasa con ella", value: (line) => line.estado, cell: (line) => html`<${LineState} line=${line} />${line.mensaje && html`<span class="note">${line.mensaje}</span>`}` },
];

/** The sums that a stored planning tells in `resumen`, of a preview. */
export function sumsOf(preview) {
  const sum = (name) => preview.lineas.reduce((total, line) => total + line[name], 0);
  return {
    pedida: sum("cantidad"),
    asignada: sum("asignada"),
    sinStock: sum("sinStock"),
    sinEntrada: sum("sinEntrada"),
    noDivisible: sum("noDivisible"),
    documentos: preview.documentos.length,
  };
}

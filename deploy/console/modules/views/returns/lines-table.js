/** The lines of a planning. */
import { Table } from "../../components/table/table.js";
import { number } from "../../formats.js";
import { html, useMemo } from "../../html.js";
import { t } from "../../texts.js";
import { numbered, PART_COLUMNS, SUPPLIER_COLUMN } from "./part-columns.js";
import { returningLines } from "./sheet.js";
import { useStates } from "./state-filter.js";
import { lineState, StateBadge } from "./states.js";

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

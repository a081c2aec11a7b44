/** Columns of what goes back against one receipt. */
import { Badge } from "../../components/badge.js";
import { day, money, number } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";

export const PART_COLUMNS = [
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

export const SUPPLIER_COLUMN = { key: "proveedor", title: t`Proveedor`, head: true, value: (row) => row.supplier, cell: (row) => row.supplier };
export const numbered = (parts) => parts.map((each, at) => ({ ...each, at }));

/** What to fetch from a warehouse, all of it and for each supplier, on paper: it is drawn while the page is printed. */
import { day, number, plural } from "../../formats.js";
import { html, useEffect, useState } from "../../html.js";
import { t } from "../../texts.js";
import { walkOf } from "./pick-walk.js";
import { pickListOf } from "./sheet.js";

/** Whether the page is being printed, and what prints it. */
export function usePrinting() {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => setPrinting(true);
    const end = () => setPrinting(false);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  const print = () => {
    setPrinting(true);
    setTimeout(() => window.print()); // once it is drawn: printing holds up everything else
  };
  return { isPrinting, print };
}

/** @param {{planning: any, warehouse: {nombre: string, ubicaciones: boolean} | undefined}} props `warehouse`: as the catalogue has it */
export function PickList({ planning, warehouse }) {
  const { cabecera } = planning;
  const suppliers = pickListOf(planning);
  const of = { about: t`Planificación ${planning.numero} · Bodega ${cabecera.whsCode}${warehouse?.nombre ? ` ${warehouse.nombre}` : ""} · ${day(cabecera.fecha)}`, hasBins: warehouse?.ubicaciones === true };
  return html`<div class="pick-list">
    ${suppliers.length > 1 && html`<${Sheet} title=${t`Retiro de la bodega ${cabecera.whsCode}`} ...${of} rows=${walkOf(suppliers)} />`}
    ${suppliers.map((supplier) => html`<${Sheet} key=${supplier.cardCode} title=${supplier.proveedor || supplier.cardCode} ...${of} rows=${supplier.rows}
      more=${`${supplier.cardCode}${supplier.rut ? ` · RUT ${supplier.rut}` : ""}${numbersOf(supplier)}`} />`)}
  </div>`;
}

const numbersOf = ({ numbers }) => (numbers.length > 0 ? ` · ${numbers.length === 1 ? t`Devolución` : t`Devoluciones`} N.º ${numbers.join(", ")}` : "");

/** Rows to tick off, with room for a signature; in a warehouse with bins also for the bin, which the service doesn't know. */
function Sheet({ title, about, more, rows, hasBins }) {
  const hasSuppliers = rows.some(({ suppliers }) => suppliers);
  return html`<section>
    <header><h2>${title}</h2><p>${about}</p>${more && html`<p>${more}</p>`}</header>
    <table>
      <thead><tr><th scope="col">${t`Hecho`}</th>${hasBins && html`<th scope="col" class="bin">${t`Ubicación`}</th>`}<th scope="col">${t`Artículo`}</th><th scope="col">${t`Descripción`}</th><th scope="col">${t`Lote o serie`}</th><th scope="col" class="number">${t`Cantidad`}</th>${hasSuppliers && html`<th scope="col">${t`Para`}</th>`}</tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${row.key}>
        <td><span class="tick"></span></td>${hasBins && html`<td class="bin"></td>`}<th scope="row" class="mono">${row.itemCode}</th><td>${row.descripcion}</td><td>${row.lot}</td><td class="number">${number(row.cantidad)} ${row.unidad}</td>${hasSuppliers && html`<td>${row.suppliers.join(", ")}</td>`}
      </tr>`)}</tbody>
    </table>
    <p>${plural(rows.length, t`fila`, t`filas`)}</p>
    <div class="signature"><span>${t`Retiró`}</span><span>${t`Fecha y hora`}</span><span>${t`Firma`}</span></div>
  </section>`;
}

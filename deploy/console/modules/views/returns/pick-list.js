/** What to fetch from the shelves for each supplier, on paper: it is drawn while the page is printed. */
import { day, number, plural } from "../../formats.js";
import { html, useEffect, useState } from "../../html.js";
import { t } from "../../texts.js";
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

export function PickList({ planning }) {
  const { numero, cabecera } = planning;
  return html`<div class="pick-list">${pickListOf(planning).map((supplier) => html`<section key=${supplier.cardCode}>
    <header>
      <h2>${supplier.proveedor || supplier.cardCode}</h2>
      <p>${t`Lista de retiro de la planificación ${numero} · Bodega ${cabecera.whsCode} · ${day(cabecera.fecha)}`}</p>
      <p>${supplier.cardCode}${supplier.rut && ` · RUT ${supplier.rut}`}${supplier.numbers.length > 0 && ` · ${supplier.numbers.length === 1 ? t`Devolución` : t`Devoluciones`} N.º ${supplier.numbers.join(", ")}`}</p>
    </header>
    <table>
      <thead><tr><th scope="col">${t`Hecho`}</th><th scope="col">${t`Artículo`}</th><th scope="col">${t`Descripción`}</th><th scope="col">${t`Lote o serie`}</th><th scope="col" class="number">${t`Cantidad`}</th></tr></thead>
      <tbody>${supplier.rows.map((row) => html`<tr key=${row.key}>
        <td><span class="tick"></span></td><th scope="row" class="mono">${row.itemCode}</th><td>${row.descripcion}</td><td>${row.lot}</td><td class="number">${number(row.cantidad)} ${row.unidad}</td>
      </tr>`)}</tbody>
    </table>
    <p>${plural(supplier.rows.length, t`fila`, t`filas`)}</p>
  </section>`)}</div>`;
}

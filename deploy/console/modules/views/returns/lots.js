/** Batches and serial numbers to pick, out of those that lie in the warehouse. */
import { ProblemNote, Waiting } from "../../components/feedback.js";
import { useLoaded } from "../../components/loading.js";
import { Table } from "../../components/table.js";
import { readLots } from "../../api/returns.js";
import { day, number } from "../../formats.js";
import { html, useMemo, useState } from "../../html.js";

const nameOf = (lot) => lot.lote ?? lot.serie;

/** A quantity as a whole number, which can be taken from another one without a rest. */
const millionths = (quantity) => Math.round(quantity * 1e6);

/** The person's picks, and the change that they are. */
export function usePicks(planningId, line) {
  const isManaged = line.gestion !== "ninguna";
  const lots = useLoaded(() => (isManaged ? readLots(planningId, line.lineId) : Promise.resolve({ lotes: [] })), [line.lineId]);
  const [picked, setPicked] = useState({});
  const amounts = useMemo(
    () => Object.fromEntries((lots.data?.lotes ?? []).map((lot) => [nameOf(lot), picked[nameOf(lot)] ?? String(lot.elegida || "")])),
    [lots.data, picked],
  );
  const isTouched = Object.keys(picked).length > 0;
  const chosen = Object.entries(amounts).filter(([, amount]) => Number(amount) > 0);
  const changes = !isTouched
    ? {}
    : line.gestion === "series"
      ? { series: chosen.map(([name]) => name) }
      : { lotes: chosen.map(([lote, amount]) => ({ lote, cantidad: Number(amount) })) };
  const total = chosen.reduce((sum, [, amount]) => sum + Number(amount), 0);
  return { lots, amounts, total, changes, pick: (name, amount) => setPicked((now) => ({ ...now, [name]: amount })) };
}

export function LotsPicker({ picks, line }) {
  const isSerial = line.gestion === "series";
  const what = isSerial ? "Números de serie" : "Lotes";
  const { lots, amounts, total } = picks;
  const fill = () => {
    let missing = millionths(line.asignada);
    for (const lot of lots.data.lotes) {
      const amount = Math.min(millionths(lot.disponible), missing);
      picks.pick(nameOf(lot), amount > 0 ? String(amount / 1e6) : "");
      missing -= Math.max(amount, 0);
    }
  };
  const columns = [
    { key: "name", title: isSerial ? "Serie" : "Lote", head: true, cell: nameOf },
    { key: "vence", title: "Vence", cell: (lot) => day(lot.vence) },
    { key: "ingreso", title: "Ingresó", cell: (lot) => day(lot.ingreso) },
    { key: "disponible", title: "Disponible", number: true, cell: (lot) => number(lot.disponible) },
    {
      key: "pick", title: isSerial ? "Vuelve" : "Cuánto vuelve", controls: true,
      cell: (lot) => isSerial
        ? html`<input type="checkbox" aria-label=${`Devolver ${nameOf(lot)}`} checked=${Number(amounts[nameOf(lot)]) > 0} disabled=${lot.disponible <= 0}
            onChange=${(event) => picks.pick(nameOf(lot), event.target.checked ? "1" : "")} />`
        : html`<input type="number" min="0" step="any" inputmode="decimal" aria-label=${`Cantidad de ${nameOf(lot)}`} value=${amounts[nameOf(lot)]}
            onInput=${(event) => picks.pick(nameOf(lot), event.target.value)} />`,
    },
  ];
  return html`<section class="stack tight" aria-label=${what}>
    <div class="page-head"><h3>${what}</h3>
      <span role="status" class="muted">${number(total)} de ${number(line.asignada)} elegidos</span>
      ${lots.data?.lotes.length > 0 && html`<button type="button" class="small" onClick=${fill}>Tomar los que vencen primero</button>`}
    </div>
    <${ProblemNote} problem=${lots.problem} onRetry=${lots.load} />
    ${lots.data ? html`<${Table} caption=${what} columns=${columns} rows=${lots.data.lotes} rowKey=${nameOf} empty="No hay existencias de este artículo en la bodega." />` : !lots.problem && html`<${Waiting} low />`}
  </section>`;
}

/** Choosing batches and serial numbers. */
import { ProblemNote } from "../../components/problem-note.js";
import { Table } from "../../components/table/table.js";
import { Waiting } from "../../components/waiting.js";
import { day, number, plural } from "../../formats.js";
import { noteDrawn } from "../../forms/filled-in.js";
import { html, useId } from "../../html.js";
import { millionths, numberText } from "../../numbers.js";
import { t } from "../../texts.js";
import { goOn, pathOf } from "./picks.js";
import { Scan } from "./scan.js";
import { nameOf } from "./sheet.js";

/** @param {{isRaised: boolean, [name: string]: any}} props `isRaised`: whether a larger quantity of the line is typed, and not saved */
export function LotsPicker({ picks, line, isRaised, faultOf }) {
  const isSerial = line.gestion === "series";
  const what = isSerial ? t`Números de serie` : t`Lotes`;
  const { lots, amounts, total } = picks;
  const fill = () => {
    let missing = millionths(line.asignada);
    for (const lot of lots.data.lotes) {
      const amount = Math.min(millionths(lot.disponible), missing);
      picks.pick(nameOf(lot), amount > 0 ? numberText(amount / 1e6) : "");
      missing -= Math.max(amount, 0);
    }
  };
  const columns = [
    { key: "name", title: isSerial ? t`Serie` : t`Lote`, head: true, cell: nameOf },
    { key: "vence", title: t`Vence`, cell: (lot) => day(lot.vence) },
    { key: "ingreso", title: t`Ingresó`, cell: (lot) => day(lot.ingreso) },
    { key: "disponible", title: t`Disponible`, number: true, cell: (lot) => number(lot.disponible) },
    {
      key: "pick", title: isSerial ? t`Vuelve` : t`Cuánto vuelve`, controls: true,
      cell: (lot) => isSerial
        ? html`<input type="checkbox" aria-label=${t`Devolver ${nameOf(lot)}`} checked=${amounts[nameOf(lot)] !== ""} disabled=${lot.disponible <= 0}
            onChange=${(event) => picks.pick(nameOf(lot), event.target.checked ? "1" : "")} />`
        : html`<${Amount} name=${nameOf(lot)} value=${amounts[nameOf(lot)]} fault=${faultOf(pathOf(nameOf(lot)))} onInput=${(text) => picks.pick(nameOf(lot), text)} />`,
    },
  ];
  return html`<section class="stack tight">
    <div class="page-head"><h3>${what}</h3>
      <span role="status" class="muted">${t`${number(total)} de ${plural(line.asignada, t`elegido`, t`elegidos`)}`}</span>
      ${lots.data?.lotes.length > 0 && html`<button type="button" class="small" onClick=${fill}>${t`Tomar los que vencen primero`}</button>`}
    </div>
    <${Scan} picks=${picks} line=${line} isRaised=${isRaised} what=${isSerial ? "serie" : "lote"} />
    <${ProblemNote} problem=${lots.problem} onRetry=${lots.load} />
    ${lots.data ? html`<${Table} caption=${what} columns=${columns} rows=${lots.data.lotes} rowKey=${nameOf} empty=${t`No hay existencias de este artículo en la bodega: baje la cantidad o deje fuera la línea.`} />` : !lots.problem && html`<${Waiting} low />`}
  </section>`;
}

function Amount({ name, value, fault, onInput }) {
  const id = useId();
  return html`<input ref=${(input) => noteDrawn(input)} inputmode="decimal" autocomplete="off" aria-label=${t`Cantidad de ${name}`} aria-invalid=${fault ? "true" : undefined}
      aria-describedby=${fault ? id : undefined} value=${value} onInput=${(event) => onInput(event.target.value)} onKeyDown=${goOn} />
    ${fault && html`<span class="fault" id=${id}>${fault}</span>`}`;
}

/** Batches and serial numbers to pick, out of those that lie in the warehouse. */
import { ProblemNote, Waiting } from "../../components/feedback.js";
import { TextField } from "../../components/fields.js";
import { useLoaded } from "../../components/loading.js";
import { Table } from "../../components/table.js";
import { readLots } from "../../api/returns.js";
import { isEnter } from "../../forms/enter.js";
import { noteDrawn } from "../../forms/filled-in.js";
import { day, number, plural } from "../../formats.js";
import { html, useId, useMemo, useState } from "../../html.js";
import { millionths, numberText, readNumber } from "../../numbers.js";
import { t } from "../../texts.js";
import { lacksPicks, lotCalled, nameOf } from "./sheet.js";

const pathOf = (name) => `lote ${name}`;

/** A scanner's Enter in a quantity leads to the scanner's field; where there is none, to the next field as in any form. */
export function goOn(event) {
  const { leer } = event.target.form.elements;
  if (!isEnter(event) || !leer) return;
  event.preventDefault();
  leer.focus();
}

/** The person's picks, and the change that they are. */
export function usePicks({ id, version }, line) {
  const isManaged = line.gestion !== "ninguna";
  const lots = useLoaded(() => (isManaged ? readLots(id, line.lineId) : Promise.resolve({ lotes: [] })), [line.lineId, version]);
  const [picked, setPicked] = useState({});
  const amounts = useMemo(
    () => Object.fromEntries((lots.data?.lotes ?? []).map((lot) => [nameOf(lot), picked[nameOf(lot)] ?? (lot.elegida ? numberText(lot.elegida) : "")])),
    [lots.data, picked],
  );
  const isTouched = Object.keys(picked).length > 0;
  const typed = Object.entries(amounts).filter(([, amount]) => amount.trim() !== "");
  const chosen = typed.map(([name, amount]) => /** @type {[string, number]} */ ([name, readNumber(amount).value])).filter(([, amount]) => amount > 0);
  const isUnread = isTouched && !lots.data; // a draft came before what it picks from
  const changes = !isTouched || isUnread
    ? {}
    : line.gestion === "series"
      ? { series: chosen.map(([name]) => name) }
      : { lotes: chosen.map(([lote, amount]) => ({ lote, cantidad: amount })) };
  const total = chosen.reduce((sum, [, amount]) => sum + amount, 0);
  return { lots, amounts, total, changes, isUnread, typed: typed.map(([name, amount]) => [pathOf(name), amount]), picked, setPicked, pick: (name, amount) => setPicked((now) => ({ ...now, [name]: amount })) };
}

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

/** Where a scanner types: it ends with Enter, and what it read is taken, of a batch as much as is still missing. */
function Scan({ picks, line, isRaised, what }) {
  const [text, setText] = useState("");
  const [told, setTold] = useState(null);
  const type = (typed) => {
    setText(typed);
    setTold(null);
  };
  const take = (code) => {
    if (!picks.lots.data) return { fault: t`Todavía se está leyendo qué hay en la bodega.` };
    const lot = lotCalled(picks.lots.data.lotes, code);
    if (!lot) return { fault: t`En la bodega no hay ${what} ${code} de este artículo.` };
    const before = readNumber(picks.amounts[nameOf(lot)]).value ?? 0;
    const missing = millionths(line.asignada) - millionths(picks.total);
    const amount = Math.min(millionths(lot.disponible), millionths(before) + missing) / 1e6;
    if (amount <= before && missing <= 0 && isRaised) return { fault: t`Guarde primero la cantidad nueva; después lea lo que falta.` };
    if (amount <= before) return { fault: missing > 0 ? t`De ${nameOf(lot)} ya está elegido todo lo disponible.` : t`Ya está elegido todo lo que vuelve.` };
    picks.pick(nameOf(lot), numberText(amount));
    return { hint: `${nameOf(lot)}: ${number(amount)}.` };
  };
  const scanned = (event) => {
    if (!isEnter(event)) return;
    event.preventDefault();
    const code = text.trim();
    if (code === "") return;
    const now = take(code);
    setTold(now);
    if (now.hint) setText("");
    else event.target.select(); // the next one is typed over it
  };
  return html`<${TextField} label=${t`Leer ${what}`} value=${text} onInput=${type} hint=${told?.hint ?? t`Con el lector, o escriba y pulse Enter.`} fault=${told?.fault}
    inputProps=${{ name: "leer", autocomplete: "off", spellcheck: false, onKeyDown: scanned, autofocus: lacksPicks(line) }} />`;
}

function Amount({ name, value, fault, onInput }) {
  const id = useId();
  return html`<input ref=${(input) => noteDrawn(input)} inputmode="decimal" autocomplete="off" aria-label=${t`Cantidad de ${name}`} aria-invalid=${fault ? "true" : undefined}
      aria-describedby=${fault ? id : undefined} value=${value} onInput=${(event) => onInput(event.target.value)} onKeyDown=${goOn} />
    ${fault && html`<span class="fault" id=${id}>${fault}</span>`}`;
}

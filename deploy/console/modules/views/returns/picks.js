/** Quantities that are picked from batches and serial numbers. */
import { readLots } from "../../api/returns.js";
import { useLoaded } from "../../components/loading.js";
import { isEnter } from "../../forms/enter.js";
import { useMemo, useState } from "../../html.js";
import { numberText, readNumber } from "../../numbers.js";
import { nameOf } from "./sheet.js";

export const pathOf = (name) => `lote ${name}`;

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

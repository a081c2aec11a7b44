/** A scanner's field for batches and serial numbers. */
import { TextField } from "../../components/fields.js";
import { number } from "../../formats.js";
import { isEnter } from "../../forms/enter.js";
import { html, useState } from "../../html.js";
import { millionths, numberText, readNumber } from "../../numbers.js";
import { t } from "../../texts.js";
import { lacksPicks, lotCalled, nameOf } from "./sheet.js";

/** Where a scanner types: it ends with Enter, and what it read is taken, of a batch as much as is still missing. */
export function Scan({ picks, line, isRaised, what }) {
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

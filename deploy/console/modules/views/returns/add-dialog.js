/** More items for a planning that is already stored. */
import { Dialog } from "../../components/dialog.js";
import { SelectField, TextField } from "../../components/fields.js";
import { addLines } from "../../api/returns.js";
import { plural } from "../../formats.js";
import { html, useLayoutEffect, useRef, useState } from "../../html.js";
import { t } from "../../texts.js";
import { isEnter } from "../../forms/enter.js";
import { useForm } from "../../forms/form.js";
import { returns } from "../../session/returns-session.js";
import { SendingNote, foot, readQuantities, useSending } from "./sending.js";
import { addedUp } from "./sheet.js";

let lastRow = 0;
const newRow = () => ({ id: ++lastRow, itemCode: "", cantidad: "", motivo: "" });
const isBlank = (row) => row.itemCode.trim() === "" && row.cantidad.trim() === "";
const isWhole = (row) => row.itemCode.trim() !== "" && row.cantidad.trim() !== "";

export function AddDialog({ planning, catalogues, onClose, onDone, onRefresh }) {
  const [rows, setRows] = useState(() => [newRow()]);
  const box = useRef(null);
  const focusLast = () => box.current.querySelector("fieldset:last-of-type input").focus();
  useLayoutEffect(focusLast, [rows.at(-1).id]);
  const written = rows.filter((row) => !isBlank(row));
  const done = (next) => {
    form.saved();
    onDone(next, `${plural(written.length, t`artículo añadido`, t`artículos añadidos`)}.`);
  };
  const sending = useSending(done, onRefresh);
  const isTouched = written.length > 0;
  const form = useForm({
    service: returns, name: `add/${planning.id}`, typed: written, isTouched, isHeld: isTouched && !sending.isBusy,
    restore: (typed) => setRows(typed.map((row) => ({ ...row, id: newRow().id }))), refusal: sending.problem,
  });
  const close = () => form.leave(onClose);
  const send = () => {
    setRows(written); // so that a refused line is the one of the same number
    sending.submit(() => {
      const quantities = readQuantities(written.map(({ cantidad }, at) => [`lineas[${at}].cantidad`, cantidad]));
      const lineas = written.map(({ itemCode, motivo }, at) => ({ itemCode: itemCode.trim(), cantidad: quantities[at], motivo: motivo || undefined }));
      return addLines(planning.id, { version: planning.version, lineas });
    });
  };
  const goOn = (rest) => {
    const isNext = rest.at(-1).itemCode.trim() === "";
    setRows(isNext ? rest : [...rest, newRow()]);
    if (isNext) focusLast();
  };
  /** A scanner types a code and ends with Enter: the same item once more is so many more of it, another one the next row. */
  const scanned = (row) => (event) => {
    if (!isEnter(event)) return;
    event.preventDefault();
    const code = row.itemCode.trim();
    if (code === "") return;
    const known = rows.find((each) => each !== row && each.itemCode.trim().toUpperCase() === code.toUpperCase());
    const counted = { ...row, cantidad: row.cantidad.trim() || "1" };
    const sum = known && addedUp(known.cantidad, counted.cantidad);
    if (sum !== undefined) {
      setRows(rows.map((each) => (each === known ? { ...each, cantidad: sum } : each === row ? { ...row, itemCode: "", cantidad: "" } : each)));
    } else {
      goOn(rows.map((each) => (each === row ? counted : each)));
    }
  };
  /** It may be read while a quantity has the focus: that sends nothing. */
  const amountRead = (event) => {
    if (!isEnter(event)) return;
    event.preventDefault();
    goOn(rows);
  };
  const set = (id, name) => (value) => setRows((now) => now.map((row) => (row.id === id ? { ...row, [name]: value } : row)));
  const reasons = (catalogues?.motivos ?? []).map(({ codigo, nombre }) => ({ value: codigo, label: `${codigo} · ${nombre}` }));
  return html`<${Dialog} large form=${form} title=${t`Añadir artículos`} onClose=${close} onSubmit=${send}
      foot=${foot(close, t`Añadir y planificar`, { ...sending, isDisabled: written.length === 0 || !written.every(isWhole) })}>
    <p class="muted">${t`Escriba los códigos o léalos con el lector: cada lectura pasa al artículo siguiente, y la del mismo artículo suma uno.`}</p>
    <div class="stack tight" data-lines ref=${box}>${rows.map((row, at) => html`<fieldset class="row" key=${row.id}><legend class="unseen">${t`Artículo ${at + 1}`}</legend>
      <${TextField} label=${t`Artículo`} grow value=${row.itemCode} onInput=${set(row.id, "itemCode")} fault=${sending.problem?.of(`lineas[${at}].itemCode`)}
        inputProps=${{ autocomplete: "off", spellcheck: false, onKeyDown: scanned(row) }} />
      <${TextField} label=${t`Cantidad`} value=${row.cantidad} onInput=${set(row.id, "cantidad")} fault=${sending.problem?.of(`lineas[${at}].cantidad`)}
        inputProps=${{ inputmode: "decimal", autocomplete: "off", onKeyDown: amountRead }} />
      <${SelectField} label=${t`Motivo`} value=${row.motivo} onInput=${set(row.id, "motivo")} options=${reasons} empty=${t`El de la devolución`} fault=${sending.problem?.of(`lineas[${at}].motivo`)} />
      ${rows.length > 1 && html`<button type="button" class="plain small" aria-label=${t`Quitar el artículo ${at + 1}`} onClick=${() => setRows(rows.filter(({ id }) => id !== row.id))}>${t`Quitar`}</button>`}
    </fieldset>`)}
    <div class="actions"><button type="button" class="small" data-another onClick=${() => setRows([...rows, newRow()])}>${t`Otro artículo`}</button></div></div>
    <${SendingNote} sending=${sending} />
  <//>`;
}

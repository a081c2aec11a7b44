/** More items for a planning that is already stored. */
import { addLines } from "../../api/returns.js";
import { Dialog } from "../../components/dialog.js";
import { SelectField, TextField } from "../../components/fields.js";
import { plural } from "../../formats.js";
import { useForm } from "../../forms/form.js";
import { html } from "../../html.js";
import { returns } from "../../session/returns-session.js";
import { t } from "../../texts.js";
import { isWhole, useAddedRows } from "./added-rows.js";
import { foot, readQuantities, SendingNote, useSending } from "./sending.js";

const pathOf = (at, name) => `lineas[${at}].${name}`;

function linesFrom(rows) {
  const quantities = readQuantities(rows.map(({ cantidad }, at) => [pathOf(at, "cantidad"), cantidad]));
  return rows.map(({ itemCode, motivo }, at) => ({ itemCode: itemCode.trim(), cantidad: quantities[at], motivo: motivo || undefined }));
}

export function AddDialog({ planning, catalogues, onClose, onDone, onRefresh }) {
  const typed = useAddedRows();
  const { written } = typed;
  const done = (next) => {
    form.saved();
    onDone(next, `${plural(written.length, t`artículo añadido`, t`artículos añadidos`)}.`);
  };
  const sending = useSending(done, onRefresh);
  const isTouched = written.length > 0;
  const form = useForm({
    service: returns, name: `add/${planning.id}`, typed: written, isTouched, isHeld: isTouched && !sending.isBusy, restore: typed.restore, refusal: sending.problem,
  });
  const close = () => form.leave(onClose);
  const send = () => {
    typed.setRows(written); // so that a refused line has the same number here
    sending.submit(() => addLines(planning.id, { version: planning.version, lineas: linesFrom(written) }));
  };
  const reasons = (catalogues?.motivos ?? []).map(({ codigo, nombre }) => ({ value: codigo, label: `${codigo} · ${nombre}` }));
  return html`<${Dialog} large form=${form} title=${t`Añadir artículos`} onClose=${close} onSubmit=${send}
      foot=${foot(close, t`Añadir y planificar`, { ...sending, isDisabled: written.length === 0 || !written.every(isWhole) })}>
    <p class="muted">${t`Escriba los códigos o léalos con el lector: cada lectura pasa al artículo siguiente, y la del mismo artículo suma uno.`}</p>
    <div class="stack tight" data-lines ref=${typed.box}>
      ${typed.rows.map((row, at) => html`<${Row} key=${row.id} row=${row} at=${at} typed=${typed} reasons=${reasons} faultOf=${(name) => sending.problem?.of(pathOf(at, name))} />`)}
      <div class="actions"><button type="button" class="small" data-another onClick=${typed.add}>${t`Otro artículo`}</button></div>
    </div>
    <${SendingNote} sending=${sending} />
  <//>`;
}

function Row({ row, at, typed, reasons, faultOf }) {
  const { set, scanned, amountRead } = typed;
  return html`<fieldset class="row"><legend class="unseen">${t`Artículo ${at + 1}`}</legend>
    <${TextField} label=${t`Artículo`} grow value=${row.itemCode} onInput=${set(row.id, "itemCode")} fault=${faultOf("itemCode")}
      inputProps=${{ autocomplete: "off", spellcheck: false, onKeyDown: scanned(row) }} />
    <${TextField} label=${t`Cantidad`} value=${row.cantidad} onInput=${set(row.id, "cantidad")} fault=${faultOf("cantidad")}
      inputProps=${{ inputmode: "decimal", autocomplete: "off", onKeyDown: amountRead }} />
    <${SelectField} label=${t`Motivo`} value=${row.motivo} onInput=${set(row.id, "motivo")} options=${reasons} empty=${t`El de la devolución`} fault=${faultOf("motivo")} />
    ${typed.rows.length > 1 && html`<button type="button" class="plain small" aria-label=${t`Quitar el artículo ${at + 1}`} onClick=${() => typed.remove(row.id)}>${t`Quitar`}</button>`}
  </fieldset>`;
}

/** Changing a line of a planning. */
import { changeLine } from "../../api/returns.js";
import { Dialog } from "../../components/dialog.js";
import { CheckField, SelectField, TextField } from "../../components/fields.js";
import { number } from "../../formats.js";
import { useForm } from "../../forms/form.js";
import { html, useMemo, useState } from "../../html.js";
import { numberText, readNumber } from "../../numbers.js";
import { returns } from "../../session/returns-session.js";
import { t } from "../../texts.js";
import { goOn, usePicks } from "./picks.js";
import { LotsPicker } from "./lots.js";
import { foot, readQuantities, SendingNote, useSending } from "./sending.js";
import { lacksPicks } from "./sheet.js";

export function LineDialog({ planning, lineId, catalogues, onClose, onDone, onRefresh }) {
  const line = useMemo(() => planning.lineas.find((each) => each.lineId === lineId), [planning]); // as it is now, where somebody else was faster
  const [touched, setTouched] = useState(/** @type {{quantity?: string, isOut?: boolean, reason?: string, supplier?: string}} */ ({}));
  const set = (name) => (value) => setTouched((now) => ({ ...now, [name]: value }));
  const { quantity = numberText(line.cantidad), isOut = line.excluida, reason = line.motivo ?? "", supplier = line.cardCode ?? "" } = touched;
  const picks = usePicks(planning, line);
  const sending = useSending((next) => {
    form.saved();
    onDone(next, `${line.itemCode}: cambiado.`);
  }, onRefresh);
  const { value: wanted } = readNumber(quantity);
  const changes = {
    ...(wanted !== line.cantidad && { cantidad: wanted }),
    ...(isOut !== line.excluida && { excluida: isOut }),
    ...(reason !== (line.motivo ?? "") && { motivo: reason || null }),
    ...(supplier !== (line.cardCode ?? "") && { cardCode: supplier || null }),
    ...picks.changes,
  };
  const send = () => {
    readQuantities([["cantidad", quantity], ...picks.typed]);
    return changeLine(planning.id, line.lineId, { version: planning.version, ...changes });
  };
  const isTouched = Object.keys(changes).length > 0 || picks.isUnread;
  const form = useForm({
    service: returns, name: `line/${planning.id}/${line.lineId}`, stamp: planning.version,
    typed: { touched, picked: picks.picked }, isTouched, isHeld: isTouched && !sending.isBusy,
    restore: (typed) => {
      setTouched(typed.touched ?? {});
      picks.setPicked(typed.picked ?? {});
    },
    refusal: sending.problem,
  });
  const close = () => form.leave(onClose);
  const suppliers = suppliersOf(planning, line);
  return html`<${Dialog} large=${line.gestion !== "ninguna"} form=${form} title=${`${line.itemCode} · ${line.descripcion}`} onClose=${close}
      onSubmit=${() => sending.submit(send)}
      foot=${foot(close, t`Guardar`, { ...sending, isDisabled: quantity.trim() === "" || !isTouched || picks.isUnread })}>
    <div class="fields">
      <${TextField} label=${t`Cantidad${line.unidad ? ` (${line.unidad})` : ""}`} value=${quantity} onInput=${set("quantity")} needed
        hint=${t`Hay ${number(line.stock)} en la bodega; hoy vuelven ${number(line.asignada)}.`}
        inputProps=${{ inputmode: "decimal", autocomplete: "off", autofocus: !lacksPicks(line), onKeyDown: goOn }} fault=${sending.problem?.of("cantidad")} />
      <${SelectField} label=${t`Proveedor`} value=${supplier} onInput=${set("supplier")} options=${suppliers} empty=${t`El de la entrada más antigua`} fault=${sending.problem?.of("cardCode")} />
      <${SelectField} label=${t`Motivo`} value=${reason} onInput=${set("reason")} empty=${t`El de la devolución`} fault=${sending.problem?.of("motivo")}
        options=${(catalogues?.motivos ?? []).map(({ codigo, nombre }) => ({ value: codigo, label: `${codigo} · ${nombre}` }))} />
    </div>
    <${CheckField} label=${t`Dejar fuera de la devolución`} checked=${isOut} onInput=${set("isOut")} />
    ${line.gestion !== "ninguna" && html`<${LotsPicker} picks=${picks} line=${line} isRaised=${wanted > line.cantidad} faultOf=${(path) => sending.problem?.of(path)} />`}
    <${SendingNote} sending=${sending} />
  <//>`;
}

/** Suppliers that the line may be limited to: those whose documents the planning knows, and the line's own. */
function suppliersOf(planning, line) {
  const names = new Map(planning.documentos.map((document) => [document.cardCode, document.proveedor]));
  if (line.cardCode && !names.has(line.cardCode)) names.set(line.cardCode, line.cardCode);
  return [...names].map(([value, name]) => ({ value, label: `${value} · ${name}` }));
}

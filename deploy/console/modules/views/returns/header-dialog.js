/** Changing the header of a planning. */
import { changeHeader } from "../../api/returns.js";
import { Dialog } from "../../components/dialog.js";
import { Note } from "../../components/note.js";
import { useForm } from "../../forms/form.js";
import { html, useState } from "../../html.js";
import { returns } from "../../session/returns-session.js";
import { t } from "../../texts.js";
import { changesOf } from "./header-values.js";
import { HeaderFields, WarehouseField } from "./header-fields.js";
import { foot, SendingNote, useSending } from "./sending.js";

export function HeaderDialog({ planning, catalogues, onClose, onDone, onRefresh }) {
  const before = planning.cabecera; // what is there now, where somebody else was faster
  const [touched, setTouched] = useState({});
  const sending = useSending((next) => {
    form.saved();
    onDone(next, t`Datos cambiados.`);
  }, onRefresh);
  const changes = changesOf(before, touched);
  const header = { ...before, ...touched };
  const set = (name, value) => setTouched((now) => changesOf(before, { ...now, [name]: value }));
  const isTouched = Object.keys(changes).length > 0;
  const form = useForm({
    service: returns, name: `datos/${planning.id}`, typed: touched, isTouched, isHeld: isTouched && !sending.isBusy,
    restore: setTouched, stamp: planning.version, refusal: sending.problem,
  });
  const close = () => form.leave(onClose);
  return html`<${Dialog} large form=${form} title=${t`Datos de la devolución`} onClose=${close}
      onSubmit=${() => sending.submit(() => changeHeader(planning.id, { version: planning.version, ...changes }))}
      foot=${foot(close, t`Guardar`, { ...sending, isDisabled: !isTouched })}>
    <${WarehouseField} catalogues=${catalogues} value=${header.whsCode} onInput=${(value) => set("whsCode", value)} fault=${sending.problem?.of("whsCode")} />
    ${changes.whsCode && html`<${Note} kind="warn">${t`Con otra bodega se planifica todo de nuevo.`}<//>`}
    <${HeaderFields} catalogues=${catalogues} header=${header} onChange=${set} faultOf=${(name) => sending.problem?.of(name)} />
    <${SendingNote} sending=${sending} />
  <//>`;
}

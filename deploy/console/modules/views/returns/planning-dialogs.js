/** What asks before it acts on a planning. */
import { Dialog, Note } from "../../components/feedback.js";
import { CheckField, SelectField, TextArea, TextField } from "../../components/fields.js";
import { changeHeader, changeLine, closePlanning, planAgain } from "../../api/returns.js";
import { money, number, plural, sumTexts } from "../../formats.js";
import { html, useMemo, useState } from "../../html.js";
import { useForm } from "../../forms/form.js";
import { returns } from "../../session/returns-session.js";
import { numberText, readNumber } from "../../numbers.js";
import { t } from "../../texts.js";
import { HeaderFields, WarehouseField, changesOf } from "./header-fields.js";
import { LotsPicker, goOn, usePicks } from "./lots.js";
import { SendingNote, foot, readQuantities, useSending } from "./sending.js";
import { figuresOf, isGone, lacksPicks } from "./sheet.js";

/** @param {{planning: object, sheet: any[], [name: string]: any}} props `sheet`: its documents, with what they wait for */
export function ExecuteDialog({ planning, sheet, onClose, onRun }) {
  const waiting = sheet.filter(({ estado }) => estado === "pendiente");
  const ready = waiting.filter(({ lacks }) => !lacks);
  const lacking = waiting.filter(({ lacks }) => lacks);
  const [chosen, setChosen] = useState(() => new Set(ready.map(({ docId }) => docId)));
  const toggle = (id) => (isOn) => {
    const next = new Set(chosen);
    if (isOn) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  const all = chosen.size === waiting.length;
  const run = () => onRun({ version: planning.version, ...(all ? {} : { documentos: [...chosen] }) });
  const nameOf = (document) => `${document.proveedor || document.cardCode} (${plural(document.lineas, t`línea`, t`líneas`)}, ${money(document.total, document.moneda)})`;
  return html`<${Dialog} title=${t`Crear las devoluciones en el ERP`} onClose=${onClose} onSubmit=${run}
      foot=${foot(onClose, t`Crear ${plural(chosen.size, t`devolución`, t`devoluciones`)}`, { isDisabled: chosen.size === 0 })}>
    <p>${t`Cada documento se crea una sola vez, aunque se corte la conexión.`}</p>
    <fieldset class="stack tight">
      <legend>${t`Documentos`}</legend>
      ${ready.map((document) => html`<${CheckField} key=${document.docId} checked=${chosen.has(document.docId)} onInput=${toggle(document.docId)} label=${nameOf(document)} />`)}
    </fieldset>
    ${lacking.length > 0 && html`<${Note} kind="warn" title=${plural(lacking.length, t`documento queda fuera hasta que elija sus lotes o series`, t`documentos quedan fuera hasta que elija sus lotes o series`)}>
      <ul>${lacking.map((document) => html`<li key=${document.docId}>${nameOf(document)}</li>`)}</ul>
    <//>`}
  <//>`;
}

export function ReprocessDialog({ planning, onClose, onRun }) {
  const [replan, setReplan] = useState(false);
  const left = planning.documentos.filter((document) => document.estado !== "creado" && !isGone(document));
  return html`<${Dialog} title=${t`Reprocesar lo que falta`} onClose=${onClose} onSubmit=${() => onRun({ replanificar: replan })} foot=${foot(onClose, t`Reprocesar`)}>
    <p>${t`Primero se busca en el ERP qué quedó hecho; lo creado no se toca. ${plural(left.length, t`documento queda`, t`documentos quedan`)} por resolver.`}</p>
    <${CheckField} label=${t`Planificar de nuevo todo lo que falló, con el stock de hoy`} checked=${replan} onInput=${setReplan} />
    <p class="small muted">${t`Sin marcar, lo que falló por algo pasajero (período, serie, tipo de cambio) se intenta otra vez como está; lo demás se planifica de nuevo igualmente.`}</p>
  <//>`;
}

export function ReplanDialog({ planning, onClose, onDone, onRefresh }) {
  const goingBack = (plan) => sumTexts(figuresOf(plan).asignada).join(" · ");
  const sending = useSending((next) => onDone(next, t`Planificada de nuevo: vuelven ${goingBack(next)}, antes ${goingBack(planning)}.`), onRefresh);
  return html`<${Dialog} title=${t`Planificar de nuevo`} onClose=${onClose} onSubmit=${() => sending.submit(() => planAgain(planning.id, planning.version))}
      foot=${foot(onClose, t`Planificar de nuevo`, sending)}>
    <p>${t`Se reparte otra vez con el stock y las entradas de hoy. Lo que ya está en una devolución no se toca, y los lotes elegidos quedan hasta donde alcancen.`}</p>
    <${SendingNote} sending=${sending} />
  <//>`;
}

export function CloseDialog({ planning, onClose, onDone }) {
  const [reason, setReason] = useState("");
  const sending = useSending((next) => {
    form.saved();
    onDone(next);
  });
  const form = useForm({
    service: returns, name: `cerrar/${planning.id}`, typed: reason, isTouched: reason !== "", isHeld: reason !== "" && !sending.isBusy,
    restore: setReason, refusal: sending.problem,
  });
  const close = () => form.leave(onClose);
  return html`<${Dialog} form=${form} title=${t`Cerrar la planificación`} onClose=${close} onSubmit=${() => sending.submit(() => closePlanning(planning.id, reason || null))}
      foot=${foot(close, t`Cerrar planificación`, { ...sending, kind: "danger main" })}>
    <p>${t`Lo que no se creó se descarta. No se puede volver a abrir.`}</p>
    <${TextArea} label=${t`Motivo`} value=${reason} onInput=${setReason} fault=${sending.problem?.of("motivo")} inputProps=${{ rows: 2, style: { minHeight: "4rem" } }} />
    <${SendingNote} sending=${sending} />
  <//>`;
}

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

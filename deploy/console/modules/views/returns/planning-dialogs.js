/** What asks before it acts on a planning. */
import { Dialog, Note, ProblemNote } from "../../components/feedback.js";
import { CheckField, SelectField, TextArea, TextField } from "../../components/fields.js";
import { changeHeader, changeLine, closePlanning, planAgain } from "../../api/returns.js";
import { number, plural } from "../../formats.js";
import { html, useState } from "../../html.js";
import { useForm } from "../../forms/form.js";
import { returns } from "../../session/returns-session.js";
import { numberText, readNumber } from "../../numbers.js";
import { HeaderFields, WarehouseField, changesOf } from "./header-fields.js";
import { LotsPicker, usePicks } from "./lots.js";
import { foot, readQuantities, useSending } from "./sending.js";
import { lacksPicks } from "./words.js";

export function ExecuteDialog({ planning, onClose, onRun }) {
  const waiting = planning.documentos.filter((document) => document.estado === "pendiente");
  const lacking = new Set(planning.lineas.filter(lacksPicks).flatMap((line) => line.asignaciones.map(({ docId }) => docId)));
  const [chosen, setChosen] = useState(() => new Set(waiting.map(({ docId }) => docId).filter((docId) => !lacking.has(docId))));
  const toggle = (id) => (isOn) => {
    const next = new Set(chosen);
    if (isOn) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  const all = chosen.size === waiting.length;
  const run = () => onRun({ version: planning.version, ...(all ? {} : { documentos: [...chosen] }) });
  return html`<${Dialog} title="Crear las devoluciones en el ERP" onClose=${onClose} onSubmit=${run}
      foot=${foot(onClose, `Crear ${plural(chosen.size, "devolución", "devoluciones")}`, { isDisabled: chosen.size === 0 })}>
    <p>Cada documento se crea una sola vez, aunque se corte la conexión.</p>
    <fieldset class="stack tight">
      <legend>Documentos</legend>
      ${waiting.map((document) => html`<${CheckField} key=${document.docId} checked=${chosen.has(document.docId)} onInput=${toggle(document.docId)}
        disabled=${lacking.has(document.docId)} label=${`${document.proveedor} (${plural(document.lineas, "línea", "líneas")}${lacking.has(document.docId) ? "; falta elegir lotes o series" : ""})`} />`)}
    </fieldset>
  <//>`;
}

export function ReprocessDialog({ planning, onClose, onRun }) {
  const [replan, setReplan] = useState(false);
  const left = planning.documentos.filter((document) => !["creado", "omitido", "anulado"].includes(document.estado));
  return html`<${Dialog} title="Reprocesar lo que falta" onClose=${onClose} onSubmit=${() => onRun({ replanificar: replan })} foot=${foot(onClose, "Reprocesar")}>
    <p>Primero se busca en el ERP qué quedó hecho; lo creado no se toca. Quedan ${plural(left.length, "documento", "documentos")} por resolver.</p>
    <${CheckField} label="Planificar de nuevo lo que falló, con el stock de hoy" checked=${replan} onInput=${setReplan} />
  <//>`;
}

export function ReplanDialog({ planning, onClose, onDone, onStale }) {
  const before = planning.resumen.asignada;
  const sending = useSending((next) => onDone(next, `Planificada de nuevo: vuelven ${number(next.resumen.asignada)}, antes ${number(before)}.`), onStale);
  return html`<${Dialog} title="Planificar de nuevo" onClose=${onClose} onSubmit=${() => sending.submit(() => planAgain(planning.id, planning.version))}
      foot=${foot(onClose, "Planificar de nuevo", { isBusy: sending.isBusy })}>
    <p>Se reparte otra vez con el stock y las entradas de hoy. Lo que ya está en una devolución no se toca, y los lotes elegidos quedan hasta donde alcancen.</p>
    <${ProblemNote} problem=${sending.problem} />
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
  return html`<${Dialog} form=${form} title="Cerrar la planificación" onClose=${close} onSubmit=${() => sending.submit(() => closePlanning(planning.id, reason || null))}
      foot=${foot(close, "Cerrar planificación", { isBusy: sending.isBusy, kind: "danger main" })}>
    <p>Lo que no se creó se descarta. No se puede volver a abrir.</p>
    <${TextArea} label="Motivo" value=${reason} onInput=${setReason} fault=${sending.problem?.of("motivo")} inputProps=${{ rows: 2, style: { minHeight: "4rem" } }} />
    <${ProblemNote} problem=${sending.problem} />
  <//>`;
}

export function HeaderDialog({ planning, catalogues, onClose, onDone, onStale }) {
  const before = planning.cabecera; // read anew when somebody else was faster
  const [touched, setTouched] = useState({});
  const sending = useSending((next) => {
    form.saved();
    onDone(next, "Datos cambiados.");
  }, onStale);
  const changes = changesOf(before, touched);
  const header = { ...before, ...touched };
  const set = (name, value) => setTouched((now) => changesOf(before, { ...now, [name]: value }));
  const isTouched = Object.keys(changes).length > 0;
  const form = useForm({
    service: returns, name: `datos/${planning.id}`, typed: touched, isTouched, isHeld: isTouched && !sending.isBusy,
    restore: setTouched, stamp: planning.version, refusal: sending.problem,
  });
  const close = () => form.leave(onClose);
  return html`<${Dialog} large form=${form} title="Datos de la devolución" onClose=${close}
      onSubmit=${() => sending.submit(() => changeHeader(planning.id, { version: planning.version, ...changes }))}
      foot=${foot(close, "Guardar", { isBusy: sending.isBusy, isDisabled: !isTouched })}>
    <${WarehouseField} catalogues=${catalogues} value=${header.whsCode} onInput=${(value) => set("whsCode", value)} fault=${sending.problem?.of("whsCode")} />
    ${changes.whsCode && html`<${Note} kind="warn">Con otra bodega se planifica todo de nuevo.<//>`}
    <${HeaderFields} catalogues=${catalogues} header=${header} onChange=${set} faultOf=${(name) => sending.problem?.of(name)} />
    <${ProblemNote} problem=${sending.problem} />
  <//>`;
}

export function LineDialog({ planning, line, catalogues, onClose, onDone, onStale }) {
  const [quantity, setQuantity] = useState(numberText(line.cantidad));
  const [isOut, setOut] = useState(line.excluida);
  const [reason, setReason] = useState(line.motivo ?? "");
  const [supplier, setSupplier] = useState(line.cardCode ?? "");
  const picks = usePicks(planning.id, line);
  const sending = useSending((next) => {
    form.saved();
    onDone(next, `${line.itemCode}: cambiado.`);
  }, onStale);
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
  const isTouched = Object.keys(changes).length > 0;
  const form = useForm({
    service: returns, name: `línea/${planning.id}/${line.lineId}`, stamp: planning.version,
    typed: { quantity, isOut, reason, supplier, picked: picks.picked }, isTouched, isHeld: isTouched && !sending.isBusy,
    restore: (typed) => {
      setQuantity(typed.quantity);
      setOut(typed.isOut);
      setReason(typed.reason);
      setSupplier(typed.supplier);
      picks.setPicked(typed.picked);
    },
    refusal: sending.problem,
  });
  const close = () => form.leave(onClose);
  const suppliers = suppliersOf(planning, line);
  return html`<${Dialog} large=${line.gestion !== "ninguna"} form=${form} title=${`${line.itemCode} · ${line.descripcion}`} onClose=${close}
      onSubmit=${() => sending.submit(send)}
      foot=${foot(close, "Guardar", { isBusy: sending.isBusy, isDisabled: quantity.trim() === "" || !isTouched })}>
    <div class="fields">
      <${TextField} label=${`Cantidad${line.unidad ? ` (${line.unidad})` : ""}`} value=${quantity} onInput=${setQuantity} needed
        hint=${`Hay ${number(line.stock)} en la bodega; hoy vuelven ${number(line.asignada)}.`}
        inputProps=${{ inputmode: "decimal", autocomplete: "off", autofocus: true }} fault=${sending.problem?.of("cantidad")} />
      <${SelectField} label="Proveedor" value=${supplier} onInput=${setSupplier} options=${suppliers} empty="El de la entrada más antigua" fault=${sending.problem?.of("cardCode")} />
      <${SelectField} label="Motivo" value=${reason} onInput=${setReason} empty="El de la devolución" fault=${sending.problem?.of("motivo")}
        options=${(catalogues?.motivos ?? []).map(({ codigo, nombre }) => ({ value: codigo, label: `${codigo} · ${nombre}` }))} />
    </div>
    <${CheckField} label="Dejar fuera de la devolución" checked=${isOut} onInput=${setOut} />
    ${line.gestion !== "ninguna" && html`<${LotsPicker} picks=${picks} line=${line} faultOf=${(path) => sending.problem?.of(path)} />`}
    <${ProblemNote} problem=${sending.problem} />
  <//>`;
}

/** Suppliers that the line may be limited to: those whose documents the planning knows, and the line's own. */
function suppliersOf(planning, line) {
  const names = new Map(planning.documentos.map((document) => [document.cardCode, document.proveedor]));
  if (line.cardCode && !names.has(line.cardCode)) names.set(line.cardCode, line.cardCode);
  return [...names].map(([value, name]) => ({ value, label: `${value} · ${name}` }));
}

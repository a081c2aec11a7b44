/** A pasted spreadsheet and the data of the return. */
import { hrefTo } from "../../addresses.js";
import { asProblem } from "../../api/problem.js";
import { createPlanning, previewPaste } from "../../api/returns.js";
import { Dialog } from "../../components/dialog.js";
import { DraftOffer } from "../../components/draft-offer.js";
import { SelectField, TextArea } from "../../components/fields.js";
import { Form } from "../../components/form.js";
import { ProblemNote } from "../../components/problem-note.js";
import { say } from "../../components/toasts.js";
import { useForm } from "../../forms/form.js";
import { html, useEffect, useRef, useState } from "../../html.js";
import { goTo, lastAt } from "../../router.js";
import { returns } from "../../session/returns-session.js";
import { t } from "../../texts.js";
import { ColumnsQuestion } from "./columns-question.js";
import { HeaderFields, WarehouseField } from "./header-fields.js";
import { Preview } from "./preview.js";
import { SHEET_COLUMNS } from "./words.js";

const NUMBER_FORMATS = [
  { value: "auto", label: t`Reconocer por la planilla` },
  { value: "es", label: t`1.234,56 (Chile)` },
  { value: "en", label: "1,234.56" },
];

const BLANK_HEADER = { indTraslado: "7" };

export function PasteForm({ catalogues }) {
  const [paste, setPaste] = useState({ whsCode: "", texto: "", formatoNumero: "auto", columnas: null });
  const [header, setHeader] = useState(BLANK_HEADER);
  const [preview, setPreview] = useState(null);
  const [problem, setProblem] = useState(null);
  const [isLooking, setLooking] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const asked = useRef(0);
  const isPreviewFault = useRef(false); // which changes nothing, so that it may be asked for again
  const isHere = useRef(true);
  useEffect(() => () => void (isHere.current = false), []);

  const look = async (now) => {
    if (!now.whsCode || !now.texto.trim()) return;
    const number = ++asked.current;
    setLooking(true);
    setProblem(null);
    isPreviewFault.current = false;
    try {
      const found = await previewPaste(now);
      if (number === asked.current) setPreview({ of: now, found });
    } catch (error) {
      if (number === asked.current) setProblem(asProblem(error));
      isPreviewFault.current = true;
    }
    if (number === asked.current) setLooking(false);
  };
  const changed = (now, name, value) => ({ ...now, ...(name === "texto" && { columnas: null }), [name]: value }); // another sheet has other columns
  const change = (name) => (value) => setPaste((now) => changed(now, name, value));
  const changeAndLook = (name) => (value) => {
    const now = changed(paste, name, value);
    setPaste(now);
    look(now);
  };
  const onPaste = (event) => {
    const box = event.target;
    setTimeout(() => changeAndLook("texto")(box.value)); // after the browser has put it in
  };
  const save = async (anotherToo) => {
    setSaving(true);
    setProblem(null);
    isPreviewFault.current = false;
    const lineas = preview.found.lineas.map(({ itemCode, cantidad, motivo, filas }) => ({ itemCode, cantidad, motivo: motivo ?? undefined, filas }));
    const cabecera = { ...Object.fromEntries(Object.entries(header).filter(([, value]) => value !== null)), whsCode: paste.whsCode };
    try {
      const made = await createPlanning({ cabecera, lineas, huella: preview.found.huella, permitirOtra: anotherToo || undefined });
      form.saved();
      if (isHere.current) goTo(hrefTo(["devoluciones", made.id]));
      say(t`Planificación ${made.numero} guardada.`);
    } catch (error) {
      setProblem(asProblem(error));
      setSaving(false);
    }
  };

  const isBusy = isLooking || isSaving;
  const isFresh = preview !== null && ["whsCode", "texto", "formatoNumero", "columnas"].every((name) => preview.of[name] === paste[name]);
  const hasHeaderFault = problem?.errors.some((each) => each.path.startsWith("cabecera.")) ?? false;
  const question = problem?.code === "columns_unknown" ? problem : null;
  const existing = problem?.code === "open_planning_exists" ? problem : null;
  const isTouched = paste.texto.trim() !== "" || header !== BLANK_HEADER;
  const form = useForm({
    service: returns, name: "new-planning", typed: { paste, header }, isTouched,
    isHeld: isTouched && !isSaving && !existing, // there it is asked already
    restore: (typed) => {
      setPaste(typed.paste);
      setHeader(typed.header);
      look(typed.paste);
    },
    refusal: existing ? null : problem,
  });
  return html`<${Form} box=${form.box} class="panel" onSubmit=${() => look(paste)}>
      <div class="stack">
        <${DraftOffer} form=${form} />
        <div class="fields">
          <${WarehouseField} catalogues=${catalogues} value=${paste.whsCode} onInput=${changeAndLook("whsCode")} fault=${problem?.of("whsCode")} />
          <${SelectField} label=${t`Cómo están escritos los números`} value=${paste.formatoNumero} onInput=${changeAndLook("formatoNumero")} options=${NUMBER_FORMATS} />
        </div>
        <${TextArea} label=${t`Planilla`} value=${paste.texto} onInput=${change("texto")} fault=${problem?.of("texto")}
          hint=${t`Con o sin encabezados. Al pegar se muestra enseguida qué puede volver y qué no.`}
          inputProps=${{ class: "paste", spellcheck: false, onPaste, placeholder: Object.values(SHEET_COLUMNS).join("\t") }} />
        <details open=${hasHeaderFault || catalogues.camposDevolucion.some(({ obligatorio }) => obligatorio)}>
          <summary>${t`Fecha, serie, motivo y otros datos`}</summary>
          <${HeaderFields} catalogues=${catalogues} header=${header} faultOf=${(name) => problem?.of(`cabecera.${name}`)}
            onChange=${(name, value) => setHeader((now) => ({ ...now, [name]: value }))} />
        </details>
        <div class="actions">
          <button type="submit" class=${isFresh ? "" : "main"} disabled=${isBusy || !paste.whsCode || !paste.texto.trim()}>
            ${isLooking && html`<span class="busy"></span>`}${t`Ver qué puede volver`}
          </button>
          ${paste.columnas && html`<button type="button" class="plain" disabled=${isBusy} onClick=${() => changeAndLook("columnas")(null)}>${t`Elegir otras columnas`}</button>`}
          <button type="button" onClick=${() => form.leave(() => goTo(lastAt("#/devoluciones")))}>${t`Cancelar`}</button>
          ${!paste.whsCode && paste.texto.trim() && html`<span class="muted">${t`Falta elegir la bodega.`}</span>`}
        </div>
      </div>
    <//>
    ${!existing && !question && html`<${ProblemNote} problem=${problem} onRetry=${isPreviewFault.current && problem?.status === 0 && (() => look(paste))} />`}
    ${question && html`<${ColumnsQuestion} key=${question.requestId} reason=${question.detail} filas=${question.body.filas} columnas=${question.body.columnas} isBusy=${isBusy} onAnswer=${changeAndLook("columnas")} />`}
    ${preview && html`<${Preview} preview=${preview.found} isFresh=${isFresh}>
      <div class="actions">
        <button type="button" class="main" disabled=${!isFresh || isBusy || !preview.found.lineas.length} onClick=${() => save(false)}>
          ${isSaving && html`<span class="busy"></span>`}${t`Guardar planificación`}
        </button>
        <span class="muted">${isFresh ? t`Todavía no se crea nada en el ERP.` : t`La planilla cambió: vea primero qué puede volver.`}</span>
      </div>
    <//>`}
    ${existing && html`<${Dialog} title=${t`Ya hay una planificación abierta`} onClose=${() => setProblem(null)} foot=${html`
        <a class="button main" autofocus href=${hrefTo(["devoluciones", existing.body.id])}>${t`Abrir la planificación ${existing.body.id}`}</a>
        <button type="button" onClick=${() => save(true)}>${t`Guardar otra con lo pegado`}</button>`}>
      <p>${existing.detail}</p>
      <p class="muted">${t`Si abre esa, lo que pegó aquí no se guarda en el ERP; queda como borrador en esta pestaña.`}</p>
    <//>`}`;
}

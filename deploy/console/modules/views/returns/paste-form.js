/** A pasted spreadsheet and the data of the return. */
import { hrefTo } from "../../addresses.js";
import { Dialog } from "../../components/dialog.js";
import { DraftOffer } from "../../components/draft-offer.js";
import { SelectField, TextArea } from "../../components/fields.js";
import { Form } from "../../components/form.js";
import { ProblemNote } from "../../components/problem-note.js";
import { html } from "../../html.js";
import { goTo, lastAt } from "../../router.js";
import { t } from "../../texts.js";
import { ColumnsQuestion } from "./columns-question.js";
import { HeaderFields, WarehouseField } from "./header-fields.js";
import { usePaste } from "./paste-state.js";
import { Preview } from "./preview.js";
import { SHEET_COLUMNS } from "./words.js";

const NUMBER_FORMATS = [
  { value: "auto", label: t`Reconocer por la planilla` },
  { value: "es", label: t`1.234,56 (Chile)` },
  { value: "en", label: "1,234.56" },
];

export function PasteForm({ catalogues }) {
  const state = usePaste();
  const { form, preview, problem, question, existing, isFresh, isSaving } = state;
  const isBusy = state.isLooking || isSaving;
  return html`<${Form} box=${form.box} class="panel" onSubmit=${state.look}><${Sheet} catalogues=${catalogues} state=${state} isBusy=${isBusy} /><//>
    ${!existing && !question && html`<${ProblemNote} problem=${problem} onRetry=${state.mayRetry && state.look} />`}
    ${question && html`<${ColumnsQuestion} key=${question.requestId} reason=${question.detail} filas=${question.body.filas} columnas=${question.body.columnas} isBusy=${isBusy} onAnswer=${state.changeAndLook("columnas")} />`}
    ${preview && html`<${Preview} preview=${preview.found} text=${preview.of.texto} isFresh=${isFresh} isBusy=${isBusy} onCorrect=${state.correct}>
      <div class="actions">
        <button type="button" class="main" disabled=${!isFresh || isBusy || !preview.found.lineas.length} onClick=${() => state.save(false)}>
          ${isSaving && html`<span class="busy"></span>`}${t`Guardar planificación`}
        </button>
        <span class="muted">${isFresh ? t`Todavía no se crea nada en el ERP.` : t`La planilla cambió: vea primero qué puede volver.`}</span>
      </div>
    <//>`}
    ${existing && html`<${ExistingDialog} existing=${existing} onClose=${state.forgetProblem} onSaveAnother=${() => state.save(true)} />`}`;
}

/** The fields of the form, with the buttons below. */
function Sheet({ catalogues, state, isBusy }) {
  const { form, paste, header, problem, isFresh, changeAndLook } = state;
  const onPaste = (event) => {
    const box = event.target;
    setTimeout(() => changeAndLook("texto")(box.value)); // after the browser has put it in
  };
  const hasHeaderFault = problem?.errors.some((each) => each.path.startsWith("cabecera.")) ?? false;
  return html`<div class="stack">
    <${DraftOffer} form=${form} />
    <div class="fields">
      <${WarehouseField} catalogues=${catalogues} value=${paste.whsCode} onInput=${changeAndLook("whsCode")} fault=${problem?.of("whsCode")} />
      <${SelectField} label=${t`Cómo están escritos los números`} value=${paste.formatoNumero} onInput=${changeAndLook("formatoNumero")} options=${NUMBER_FORMATS} />
    </div>
    <${TextArea} label=${t`Planilla`} value=${paste.texto} onInput=${state.change("texto")} fault=${problem?.of("texto")}
      hint=${t`Con o sin encabezados. Al pegar se muestra enseguida qué puede volver y qué no.`}
      inputProps=${{ class: "paste", spellcheck: false, onPaste, placeholder: Object.values(SHEET_COLUMNS).join("\t") }} />
    <details open=${hasHeaderFault || catalogues.camposDevolucion.some(({ obligatorio }) => obligatorio)}>
      <summary>${t`Fecha, serie, motivo y otros datos`}</summary>
      <${HeaderFields} catalogues=${catalogues} header=${header} faultOf=${(name) => problem?.of(`cabecera.${name}`)} onChange=${state.changeHeader} />
    </details>
    <div class="actions">
      <button type="submit" class=${isFresh ? "" : "main"} disabled=${isBusy || !paste.whsCode || !paste.texto.trim()}>
        ${state.isLooking && html`<span class="busy"></span>`}${t`Ver qué puede volver`}
      </button>
      ${paste.columnas && html`<button type="button" class="plain" disabled=${isBusy} onClick=${() => changeAndLook("columnas")(null)}>${t`Elegir otras columnas`}</button>`}
      <button type="button" onClick=${() => form.leave(() => goTo(lastAt("#/devoluciones")))}>${t`Cancelar`}</button>
      ${!paste.whsCode && paste.texto.trim() && html`<span class="muted">${t`Falta elegir la bodega.`}</span>`}
    </div>
  </div>`;
}

function ExistingDialog({ existing, onClose, onSaveAnother }) {
  return html`<${Dialog} title=${t`Ya hay una planificación abierta`} onClose=${onClose} foot=${html`
      <a class="button main" autofocus href=${hrefTo(["devoluciones", existing.body.id])}>${t`Abrir la planificación ${existing.body.id}`}</a>
      <button type="button" onClick=${onSaveAnother}>${t`Guardar otra con lo pegado`}</button>`}>
    <p>${existing.detail}</p>
    <p class="muted">${t`Si abre esa, lo que pegó aquí no se guarda en el ERP; queda como borrador en esta pestaña.`}</p>
  <//>`;
}

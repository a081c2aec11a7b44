/** Labelled inputs; a fault stands under its field and belongs to it. */
import { noteDrawn } from "../forms/filled-in.js";
import { html, useId, useState } from "../html.js";
import { t } from "../texts.js";

export function Field({ label, hint, fault: refused, needed = false, wide = false, grow = false, children }) {
  const id = useId();
  const [missing, setMissing] = useState(null); // told when the form is sent, until something is typed
  const fault = missing ?? refused;
  const lacks = (event) => setMissing(event.target.validity.badInput ? t`Escríbalo completo.` : t`Falta este dato.`);
  const describedBy = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ") || undefined;
  const attributes = { id, "aria-describedby": describedBy, "aria-invalid": fault ? "true" : undefined, required: needed, onInvalid: lacks };
  return html`<div class=${`field ${wide ? "wide" : ""} ${grow ? "grow" : ""}`} onInput=${() => missing && setMissing(null)}>
    <label for=${id}>${label}${needed && html`<span class="needed"> ${t`(obligatorio)`}</span>`}</label>
    ${children(attributes)}
    ${hint && html`<span class="hint" id=${`${id}-hint`}>${hint}</span>`}
    ${fault && html`<span class="fault" id=${`${id}-fault`}>${fault}</span>`}
  </div>`;
}

export function TextField({ value, onInput, type = "text", inputProps = {}, ...field }) {
  return html`<${Field} ...${field}>
    ${(attributes) => html`<input ref=${(input) => noteDrawn(input)} ...${attributes} ...${inputProps} type=${type} value=${value ?? ""} onInput=${(event) => onInput(event.target.value)} />`}
  <//>`;
}

/** @param {{options: {value: string, label: string}[], [name: string]: any}} props */
export function SelectField({ value, onInput, options, empty, ...field }) {
  return html`<${Field} ...${field}>
    ${(attributes) => html`<select ref=${(select) => noteDrawn(select)} ...${attributes} value=${value ?? ""} onChange=${(event) => onInput(event.target.value)}>
      ${empty !== undefined && html`<option value="" selected=${!value}>${empty}</option>`}
      ${options.map((each) => html`<option value=${each.value} selected=${String(each.value) === String(value ?? "")}>${each.label}</option>`)}
    </select>`}
  <//>`;
}

export function TextArea({ value, onInput, inputProps = {}, ...field }) {
  return html`<${Field} ...${field}>
    ${(attributes) => html`<textarea ref=${(area) => noteDrawn(area)} ...${attributes} ...${inputProps} value=${value ?? ""} onInput=${(event) => onInput(event.target.value)}></textarea>`}
  <//>`;
}

export function CheckField({ label, checked, onInput, disabled = false }) {
  const id = useId();
  return html`<div class="check">
    <input type="checkbox" id=${id} checked=${checked} disabled=${disabled} onChange=${(event) => onInput(event.target.checked)} />
    <label for=${id}>${label}</label>
  </div>`;
}

/** The form fields of parameters. */
import { html, useId } from "../../html.js";
import { t } from "../../texts.js";
import { CheckField, SelectField, TextArea, TextField } from "../fields.js";
import { boundsOf, INPUT_TYPES, linesOf } from "./values.js";

export function ParameterFields({ parameters, values, onChange, problem, prefix }) {
  const set = (name) => (value) => onChange({ ...values, [name]: value });
  const faultAt = (path) => problem?.of(`${prefix}.${path}`) ?? problem?.of(path);
  return html`<div class="row parameters">
    ${parameters.map((each) => html`<${ParameterField} key=${each.name} parameter=${each} value=${values[each.name]} onInput=${set(each.name)}
      fault=${faultAt(each.name) ?? faultAt(`${each.name}.from`)} endFault=${faultAt(`${each.name}.to`)} />`)}
    ${!parameters.length && html`<p class="muted">${t`No pide datos.`}</p>`}
  </div>`;
}

function ParameterField({ parameter, value, onInput, fault, endFault }) {
  const { label, kind, options, isNeeded, isRange, isMultiple } = parameter;
  const common = { fault, needed: isNeeded, hint: boundsOf(parameter) };
  const inputProps = kind === "date" ? { min: parameter.minimum ?? undefined, max: parameter.maximum ?? undefined } : kind === "number" ? { inputmode: "decimal" } : {};
  if (isRange && kind === "select") {
    return html`<fieldset class="row"><legend>${label}</legend>
      <${SelectField} label=${t`Desde`} value=${value.from} onInput=${(from) => onInput({ ...value, from })} options=${options} empty=${t`Elija`} ...${common} />
      <${SelectField} label=${t`Hasta`} value=${value.to} onInput=${(to) => onInput({ ...value, to })} options=${options} empty=${t`Elija`} fault=${endFault} />
    </fieldset>`;
  }
  if (isRange) {
    return html`<fieldset class="row"><legend>${label}</legend>
      <${TextField} label=${t`Desde`} type=${INPUT_TYPES[kind]} value=${value.from} onInput=${(from) => onInput({ ...value, from })} inputProps=${inputProps} ...${common} />
      <${TextField} label=${t`Hasta`} type=${INPUT_TYPES[kind]} value=${value.to} onInput=${(to) => onInput({ ...value, to })} inputProps=${inputProps} fault=${endFault} />
    </fieldset>`;
  }
  if (isMultiple && kind === "select") return html`<${Choices} label=${label} options=${options} value=${value} onInput=${onInput} fault=${fault} needed=${isNeeded} />`;
  if (isMultiple) return html`<${TextArea} label=${label} ...${common} hint=${t`Uno por línea. ${common.hint}`.trim()} value=${value} onInput=${onInput} inputProps=${{ rows: 4 }} />`;
  if (kind === "select") return html`<${SelectField} label=${label} value=${value} onInput=${onInput} options=${options} empty=${t`Elija`} ...${common} />`;
  if (kind === "boolean") return html`<${CheckField} label=${label} checked=${value === true} onInput=${onInput} />`;
  return html`<${TextField} label=${label} type=${INPUT_TYPES[kind] ?? "text"} value=${value} onInput=${onInput} inputProps=${inputProps} ...${common} />`;
}

/** Several of the options; their value is one a line, as that of any parameter that takes several. */
function Choices({ label, options, value, onInput, fault, needed }) {
  const id = useId();
  const chosen = linesOf(value);
  const toggle = (one) => (isOn) => onInput(options.map((each) => each.value).filter((each) => (each === one ? isOn : chosen.includes(each))).join("\n"));
  return html`<fieldset class="stack tight" aria-describedby=${fault ? id : undefined}>
    <legend>${label}${needed && html`<span class="needed"> ${t`(obligatorio)`}</span>`}</legend>
    ${options.map((each) => html`<${CheckField} key=${each.value} label=${each.label} checked=${chosen.includes(each.value)} onInput=${toggle(each.value)} />`)}
    ${fault && html`<span class="fault" id=${id}>${fault}</span>`}
  </fieldset>`;
}

/** A form made from the parameters of a report or a query, and the values that it gives. */
import { CheckField, SelectField, TextArea, TextField } from "./fields.js";
import { Problem } from "../api/problem.js";
import { day, number } from "../formats.js";
import { html, useId } from "../html.js";
import { numberText, readNumber } from "../numbers.js";
import { t } from "../texts.js";
import { fieldTitle } from "../titles.js";

const NUMERIC = ["decimal", "number", "integer", "int", "long", "short", "double", "float"]; // with the services, and with the reports' designer
const INPUT_TYPES = { date: "date", number: "text", text: "text" };

const isNumeric = ({ type, input = null }) => input?.kind === "number" || NUMERIC.includes(type?.split(":").pop());

function kindOf({ type, input }) {
  if (input && input.kind !== "text") return input.kind;
  return isNumeric({ type }) ? "number" : type === "date" && !input ? "date" : "text";
}

/** What a report's and a query's parameters have in common. */
export function normalParameters(parameters) {
  return parameters
    .map((each) => ({
      name: each.name,
      label: each.label ?? fieldTitle(each.name) ?? each.name,
      kind: kindOf(each),
      isNumber: isNumeric(each), // also where it is chosen from a list
      options: each.input?.options ?? [],
      initial: each.input?.default ?? null,
      minimum: each.input?.minimum ?? null,
      maximum: each.input?.maximum ?? null,
      isNeeded: each.required ?? true,
      isRange: each.isRange ?? false,
      isMultiple: each.isMultiple ?? false,
    }))
    .filter((each) => each.kind !== "hidden");
}

/** The bounds in words; a date's input has them as well, but what it says differs from browser to browser. */
function boundsOf({ kind, minimum, maximum }) {
  const write = kind === "date" ? day : number;
  const words = [minimum !== null && `desde ${write(minimum)}`, maximum !== null && `hasta ${write(maximum)}`].filter(Boolean).join(" ");
  return words && `${words[0].toUpperCase()}${words.slice(1)}.`;
}

function initialValues(parameters) {
  return Object.fromEntries(parameters.map((each) => [each.name, initialValue(each)]));
}

function initialValue({ kind, initial, isRange }) {
  const shown = (value) => (kind === "number" && value !== null ? numberText(value) : value);
  if (isRange) return { from: shown(initial?.from ?? ""), to: shown(initial?.to ?? "") };
  if (Array.isArray(initial)) return initial.map(shown).join("\n");
  return shown(initial) ?? (kind === "boolean" ? false : "");
}

/** The values as an address has them: one parameter each, or two of a range; what is empty is left out. */
export function addressOf(parameters, values) {
  const pairs = parameters.flatMap(({ name, isRange }) => (isRange ? [[`${name}.from`, values[name].from], [`${name}.to`, values[name].to]] : [[name, values[name]]]));
  return Object.fromEntries(pairs.map(([name, value]) => [name, value === false ? "" : value]));
}

/** The values of an address; those to begin with where it has none. */
export function valuesOf(parameters, query) {
  const initial = initialValues(parameters);
  if (!parameters.some(({ name }) => [name, `${name}.from`, `${name}.to`].some((each) => query.has(each)))) return initial;
  const at = (name) => query.get(name) ?? "";
  const one = ({ name, isRange, kind }) => (isRange ? { from: at(`${name}.from`), to: at(`${name}.to`) } : kind === "boolean" ? at(name) === "true" : at(name));
  return Object.fromEntries(parameters.map((each) => [each.name, one(each)]));
}

/**
 * The values as they are sent: numbers as numbers; what is empty is left out, or sent as nothing where it would else get its default.
 *
 * @throws {Problem} with the fields whose numbers cannot be read
 */
export function sentValues(parameters, values) {
  const sent = {};
  const errors = [];
  const one = (parameter, value, path = parameter.name) => {
    if (!parameter.isNumber || isEmpty(value)) return value;
    if (parameter.kind === "select") return Number(value); // as the service writes it
    const { value: number, fault } = readNumber(String(value));
    if (fault) errors.push({ path, message: fault });
    return number;
  };
  for (const parameter of parameters) {
    const value = values[parameter.name];
    if (parameter.isRange) {
      const { from, to } = value;
      if (from !== "" || to !== "") sent[parameter.name] = { from: one(parameter, from, `${parameter.name}.from`), to: one(parameter, to, `${parameter.name}.to`) };
    } else if (parameter.isMultiple) {
      const several = linesOf(value);
      if (several.length) sent[parameter.name] = several.map((each) => one(parameter, each));
    } else if (value !== "" && value !== null) {
      sent[parameter.name] = one(parameter, value);
    }
    if (!(parameter.name in sent) && parameter.initial !== null) sent[parameter.name] = null;
  }
  if (errors.length) throw new Problem({ code: "no_number", detail: t`Corrija los datos marcados. No se envió nada.`, errors });
  return sent;
}

const isEmpty = (value) => value === null || String(value).trim() === "";

export function ParameterFields({ parameters, values, onChange, problem, prefix }) {
  const set = (name) => (value) => onChange({ ...values, [name]: value });
  const faultAt = (path) => problem?.of(`${prefix}.${path}`) ?? problem?.of(path);
  return html`<div class="stack">
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

const linesOf = (value) => (Array.isArray(value) ? value.map(String) : String(value).split("\n")).map((each) => each.trim()).filter(Boolean);

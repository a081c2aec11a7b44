/** Values of the parameters of a report or query: what is typed, what an address holds, what is sent. Pure. */
import { Problem } from "../../api/problem.js";
import { day, number } from "../../formats.js";
import { numberText, readNumber } from "../../numbers.js";
import { t } from "../../texts.js";
import { fieldTitle } from "../../titles.js";

const NUMERIC = ["decimal", "number", "integer", "int", "long", "short", "double", "float"]; // with the services, and with the reports' designer
export const INPUT_TYPES = { date: "date", number: "text", text: "text" };
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
export function boundsOf({ kind, minimum, maximum }) {
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
export const linesOf = (value) => (Array.isArray(value) ? value.map(String) : String(value).split("\n")).map((each) => each.trim()).filter(Boolean);

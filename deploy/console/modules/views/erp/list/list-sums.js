/** Sums over all records of a list, above its table: added up here where all are on the page, else by the ERP once somebody asks. */
import { addedBy } from "../../../api/descriptions.js";
import { readSums } from "../../../api/records.js";
import { CheckField } from "../../../components/fields.js";
import { useLoaded } from "../../../components/loading.js";
import { localCurrency } from "../../../currencies.js";
import { moneyTexts, plural, sumTexts } from "../../../formats.js";
import { html, useRef, useState } from "../../../html.js";
import { sumsBy } from "../../../numbers.js";
import { keepLayout, readLayout } from "../../../preferences.js";
import { t } from "../../../texts.js";

const LAYOUT = "sumas";

/** The shown columns that the service adds up. */
const summedOf = (resource, shown) => shown.filter(({ name, measure }) => measure?.adds && resource.columns.some((each) => each.name === name));

/**
 * @param {any} resource
 * @param {{filter: string}} request
 * @param {any[]} shown
 * @param {{value: any[], "odata.count": number, filter: string}} found `filter`: whose rows they are; nothing is asked of the ERP while they are an older search's
 * @returns {{choice: any, line: any}} `choice`: whether all are to be added up; `line`: the sums, in words
 */
export function useListSums(resource, { filter }, shown, found) {
  const [isWanted, setWanted] = useState(() => readLayout(LAYOUT).whole === true);
  const columns = summedOf(resource, shown);
  const total = found["odata.count"];
  const isPart = total > found.value.length;
  const canAsk = isPart && columns.length > 0 && resource.key.length === 1;
  const latest = useRef({ isAsked: false, select: "", filter: "" });
  if (found.filter === filter) latest.current = { isAsked: canAsk && isWanted, select: columns.map(({ name }) => name).join(","), filter };
  const { isAsked, ...question } = latest.current;
  const sums = useLoaded((signal) => (isAsked ? readSums(resource.name, question, { signal }) : Promise.resolve(null)), [isAsked, resource.name, question.select, question.filter]);
  const choose = (isOn) => {
    keepLayout(LAYOUT, { whole: isOn || undefined });
    setWanted(isOn);
  };
  const choice = canAsk && html`<${CheckField} label=${t`Sumar todos los registros`} checked=${isWanted} onInput=${choose} />`;
  if (!isPart) return { choice, line: columns.length > 0 && total > 1 && html`<${Line} sums=${ofRows(columns, found.value)} count=${total} />` };
  return { choice, line: isAsked && html`<${Asked} sums=${sums} columns=${columns} />` };
}

function Asked({ sums: { data, problem, isLoading, load }, columns }) {
  if (isLoading) return html`<p class="list-sums" role="status"><span class="busy">${t`El ERP está sumando…`}</span></p>`;
  if (problem) return html`<p class="list-sums" role="status">${t`El ERP no pudo sumar: ${problem.detail}`} <button type="button" class="small" onClick=${load}>${t`Intentar de nuevo`}</button></p>`;
  if (!data?.available) return html`<p class="list-sums" role="status">${t`Este ERP no suma listas enteras. Al pie está el total de la página.`}</p>`;
  return html`<${Line} sums=${ofAnswer(columns, data)} count=${data.count} />`;
}

/** @param {{sums: {title: string, texts: string[]}[], count: number}} props */
function Line({ sums, count }) {
  return html`<p class="list-sums" role="status"><span class="muted">${t`Total de ${plural(count, t`registro`, t`registros`)}`}</span>
    ${sums.map(({ title, texts }) => html`<span key=${title}>${title}: ${texts.map((text, at) => html`${at > 0 && " · "}<strong>${text}</strong>`)}</span>`)}</p>`;
}

const inWords = ({ title, measure }, sums) => {
  const told = measure.by === null ? sums : sums.filter(([, sum]) => sum !== 0); // documents in the company's currency have 0 in their own
  return { title, texts: (measure.kind === "amount" ? moneyTexts : sumTexts)(told.length ? told : sums.slice(0, 1)) };
};

const ofRows = (columns, rows) => columns.map((column) => inWords(column, sumsBy(rows, addedBy(column.measure), (row) => row[column.name])));

function ofAnswer(columns, answer) {
  return answer.columns.map(({ name, by, sums }) => {
    const column = columns.find((each) => each.name === name);
    const unitOf = (unit) => unit ?? (column.measure.kind !== "amount" ? "" : by === null ? (localCurrency() ?? t`moneda\u00a0local`) : t`sin\u00a0moneda`);
    return inWords(column, sums.map(({ unit, value }) => [unitOf(unit), value]));
  });
}

/** Net, tax and total of a document: as the ERP has them, and what they would be with lines that are being changed. */
import { placesOf as knownPlacesOf, localCurrency } from "../../currencies.js";
import { money, plural } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";

const PERCENT = 100;
const amount = (value) => (typeof value === "number" ? value : 0);
const rounded = (value, places) => Math.round((value + Number.EPSILON) * 10 ** places) / 10 ** places;

/** How many decimals a currency has; two where nobody knows it. */
const placesOf = (currency) => knownPlacesOf(currency) ?? 2;

const TAKEN_FROM_TOTAL = ["DownPaymentAmount", "WTAmount", "RoundingDiffAmount"];

/** Whether the total holds other things than lines, freight and tax, so that it does not tell the net. */
const isNetHidden = (record) => TAKEN_FROM_TOTAL.some((name) => amount(record[name]) !== 0) || (record.DownPaymentsToDraw ?? []).length > 0;
const hasExpenses = (record) => (record.DocumentAdditionalExpenses ?? []).some((each) => amount(each.LineTotal) !== 0);

/**
 * @typedef {{net: number | null, tax: number | null, total: number | null, currency: string, hasExpenses?: boolean, discount?: number, local?: {total: number, currency: string}}} Totals in one currency; null where only the ERP can tell
 * @param {string | null} [local] the company's currency, as far as it is known
 * @returns {Totals | null} what the ERP says of a document; in its own currency, where that is another one than the company's, with the company's `local` total
 */
export function totalsOf(record, local = localCurrency()) {
  const own = ownTotalsOf(record, local);
  return own && isForeign(record, local) ? { ...own, local: { total: record.DocTotal, currency: local ?? "" } } : own;
}

const isForeign = ({ DocTotalFc, DocCurrency }, local) => Boolean(DocTotalFc) && DocCurrency !== local;

function ownTotalsOf(record, local) {
  if (typeof record.DocTotal !== "number" || typeof record.VatSum !== "number") return null;
  const isOther = isForeign(record, local);
  const [total, tax] = isOther ? [record.DocTotalFc, amount(record.VatSumFc)] : [record.DocTotal, record.VatSum];
  const currency = (isOther ? record.DocCurrency : currencyOfDocTotal(record, local)) ?? "";
  const net = isNetHidden(record) ? null : rounded(total - tax, placesOf(currency));
  const discount = amount(isOther ? record.TotalDiscountFC : record.TotalDiscount);
  return { net, tax, total, currency, ...(hasExpenses(record) && { hasExpenses: true }), ...(discount !== 0 && { discount }) };
}

/** `DocTotal` is in the company's currency, whatever `DocCurrency` says; without an amount in another one they are the same. */
const currencyOfDocTotal = ({ DocTotalFc, DocCurrency }, local) => local ?? (DocTotalFc === 0 ? DocCurrency : undefined);

const rateOf = (line) => (typeof line.TaxPercentagePerRow === "number" ? line.TaxPercentagePerRow : null);
const netOf = (line) => amount(line.Quantity) * amount(line.UnitPrice) * (1 - amount(line.DiscountPercent) / PERCENT);

/** The rate that all lines have in common, for lines of which nothing is known yet. */
function commonRate(lines) {
  const rates = new Set(lines.map(rateOf));
  return rates.size === 1 ? [...rates][0] : null;
}

/**
 * The totals with lines as they are being typed: the ERP's, and what differs. Nothing where currencies would have to be added.
 *
 * @param {object} record as the ERP has it; empty for a new document
 * @param {object[]} lines all that there would be, with what was typed
 * @returns {Totals & {unpriced: number} | null} `unpriced`: lines whose price the ERP will find
 */
export function estimateOf(record, lines) {
  const before = record.DocumentLines ?? [];
  const currencies = new Set([record.DocCurrency, ...before.map((line) => line.Currency), ...lines.map((line) => line.Currency)].filter(Boolean));
  if (currencies.size > 1) return null;
  const now = /** @type {Totals} */ (ownTotalsOf(record, localCurrency()) ?? { net: 0, tax: before.length ? null : 0, total: 0, currency: [...currencies][0] ?? "" });
  const common = commonRate(before);
  const kept = 1 - amount(record.DiscountPercent) / PERCENT;
  const taxOf = (line) => (rateOf(line) === null && common === null ? null : (netOf(line) * (rateOf(line) ?? common)) / PERCENT);
  const sum = (values) => (values.includes(null) ? null : values.reduce((total, each) => total + each, 0));
  const net = (sum(lines.map(netOf)) - sum(before.map(netOf))) * kept;
  const [taxAfter, taxBefore] = [sum(lines.map(taxOf)), sum(before.map(taxOf))];
  const tax = taxAfter === null || taxBefore === null || now.tax === null ? null : now.tax + (taxAfter - taxBefore) * kept;
  const inCurrency = (value) => rounded(value, placesOf(now.currency));
  const netAfter = now.net === null ? null : inCurrency(now.net + net);
  delete now.discount; // it was of the lines before
  return {
    ...now,
    net: netAfter,
    tax: tax === null ? null : inCurrency(tax),
    total: tax === null || netAfter === null ? null : inCurrency(netAfter + inCurrency(tax)),
    unpriced: lines.filter((line) => typeof line.UnitPrice !== "number").length,
  };
}

/** @param {{totals: (Totals & {unpriced?: number}) | null, isEstimate?: boolean, described: import("../../api/descriptions.js").Description}} props */
export function Totals({ totals, isEstimate = false, described }) {
  if (!totals) return html`<p class="small muted">${t`Las líneas tienen monedas distintas: no se suman.`}</p>`;
  const { net, tax, total, currency, hasExpenses: isWithExpenses, discount, local, unpriced = 0 } = totals;
  const pair = (title, value, code = currency) => html`<div><dt>${title}</dt><dd>${value === null ? t`lo calcula el ERP` : money(value, code)}</dd></div>`;
  return html`<div class="totals" role=${isEstimate ? "status" : undefined}>
    <dl>${discount !== undefined && net !== null && !isWithExpenses && pair(t`Líneas`, net + discount)}${discount !== undefined && pair(t`Descuento`, -discount)}${net !== null && pair(isWithExpenses ? t`Neto con gastos` : t`Neto`, net)}${pair(described.titleOf("VatSum"), tax)}${pair(described.titleOf("DocTotal"), total)}
      ${local && pair(local.currency ? t`Total en ${local.currency}` : t`Total en moneda local`, local.total, local.currency)}</dl>
    ${isEstimate && html`<p class="small muted">${t`Estimación de la consola${unpriced > 0 && t`, sin ${plural(unpriced, t`línea cuyo precio`, t`líneas cuyos precios`)} pone el ERP`}. Al guardar, los montos los decide el ERP.`}</p>`}
  </div>`;
}

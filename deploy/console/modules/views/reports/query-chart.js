/** The chart that a query declares, above its rows; drawn by a part of the console that comes when there is one. */
import { asProblem } from "../../api/problem.js";
import { ProblemNote } from "../../components/problem-note.js";
import { useLoaded } from "../../components/loading.js";
import { localCurrency } from "../../currencies.js";
import { money, number } from "../../formats.js";
import { html, useMemo } from "../../html.js";
import { loadPart } from "../../page-module.js";
import { t } from "../../texts.js";
import { drawingOf } from "./chart-data.js";

const loadChart = () => import("../../components/chart.js");

/** @param {{query: any, rows: any[], isPart: boolean}} props */
export function QueryChart({ query: { chart, titles, measures }, rows, isPart }) {
  const part = useLoaded(() => loadPart(loadChart), []);
  const measure = measures[chart.y];
  const drawing = useMemo(() => drawingOf(rows, chart, measure), [rows, chart]);
  const titleOf = (name) => titles[name] ?? name;
  const axis = chart.series ? t`${titleOf(chart.x)} y ${titleOf(chart.series)}` : titleOf(chart.x);
  const title = `${t`${titleOf(chart.y)} por ${axis}`}${isPart ? t`, de las filas que se muestran` : ""}`;
  if ("fault" in drawing) return html`<p class="empty-note">${drawing.fault}</p>`;
  if (part.problem) return html`<${ProblemNote} problem=${asProblem(part.problem)} onRetry=${part.load} />`;
  const Chart = part.data?.RowsChart;
  return html`<div class="chart-place">${Chart && html`<${Chart} drawing=${drawing} kind=${chart.kind} title=${title} write=${writeIn(measure, rows)} />`}</div>`;
}

/** A number with the currency or unit that all rows have. */
function writeIn(measure, rows) {
  if (!measure) return number;
  const unit = measure.by ? (rows[0]?.[measure.by] ?? "") : measure.kind === "amount" ? localCurrency() : "";
  return measure.kind === "amount" ? (value) => money(value, unit) : (value) => `${number(value)} ${unit}`.trim();
}

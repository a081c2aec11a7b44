/** A chart of rows as SVG: bars on each other, or lines. Its numbers stand in a table beside it. */
import { line, scaleBand, scaleLinear, scalePoint } from "../../vendor/d3.mjs";
import { html, useLayoutEffect, useRef, useState } from "../html.js";
import { t } from "../texts.js";
import { stacked } from "./stacked.js";

const HEIGHT = 300;
const ROOM = { top: 12, right: 12, bottom: 34, left: 64 };
const LABEL = 76; // pixels that a category's name needs
const LETTERS = 12;
const TICKS = 5;
const SHORT = new Intl.NumberFormat("es-CL", { notation: "compact", maximumFractionDigits: 1 });

const cut = (text) => (text.length > LETTERS ? t`${text.slice(0, LETTERS - 1)}…` : text);

/**
 * How wide the place of the chart is; what is drawn in pixels stays legible on a phone.
 *
 * @returns {[{current: any}, number]}
 */
function useWidth() {
  const box = useRef(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const watcher = new ResizeObserver(() => setWidth(Math.floor(box.current?.clientWidth ?? 0)));
    setWidth(Math.floor(box.current.clientWidth));
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  return [box, width];
}

/**
 * @param {object} props
 * @param {import("../views/reports/chart-data.js").Drawing} props.drawing
 * @param {"bars" | "line"} props.kind
 * @param {string} props.title what it shows, in words
 * @param {(value: number) => string} props.write a number with its unit
 */
export function RowsChart({ drawing, kind, title, write }) {
  const [box, width] = useWidth();
  const { categories, series } = drawing;
  const words = t`${title}: de ${categories[0]} a ${categories.at(-1)}. Los números están en la tabla.`;
  return html`<figure class="rows-chart" ref=${box}>
    <figcaption>${title}</figcaption>
    ${width > 0 && html`<svg width=${width} height=${HEIGHT} viewBox=${`0 0 ${width} ${HEIGHT}`} role="img" aria-label=${words}>
      <${Plot} drawing=${drawing} kind=${kind} width=${width} write=${write} />
    </svg>`}
    ${series.length > 1 && html`<ul class="legend">${series.map(({ name }, at) => html`<li key=${name}><span class=${`swatch series-${at}`}></span><bdi>${name}</bdi></li>`)}</ul>`}
    ${drawing.left > 0 && html`<p class="small muted">${t`Se dibujan los ${categories.length} mayores; los otros ${drawing.left} están en la tabla.`}</p>`}
  </figure>`;
}

function Plot({ drawing: { categories, series }, kind, width, write }) {
  const isBars = kind === "bars";
  const bars = isBars ? stacked(series) : [];
  const ends = isBars ? bars.flat().flatMap(({ from, to }) => [from, to]) : series.flatMap(({ values }) => values.filter((value) => value !== null));
  const y = scaleLinear().domain([Math.min(0, ...ends), Math.max(0, ...ends)]).nice(TICKS).range([HEIGHT - ROOM.bottom, ROOM.top]);
  const range = [ROOM.left, width - ROOM.right];
  const x = isBars ? scaleBand(categories, range).paddingInner(0.2).paddingOuter(0.1) : scalePoint(categories, range).padding(0.5);
  const middle = (category) => x(category) + x.bandwidth() / 2;
  return html`<${Axes} y=${y} middle=${middle} categories=${categories} width=${width} />
    ${isBars ? html`<${Bars} ...${{ bars, series, categories, x, y, write }} />` : html`<${Lines} ...${{ series, categories, middle, y, write }} />`}`;
}

function Axes({ y, middle, categories, width }) {
  const each = Math.max(1, Math.ceil((categories.length * LABEL) / (width - ROOM.left - ROOM.right)));
  return html`<g class="axes">
    ${y.ticks(TICKS).map((tick) => html`<g key=${tick}><line class=${tick === 0 ? "zero" : ""} x1=${ROOM.left} x2=${width - ROOM.right} y1=${y(tick)} y2=${y(tick)} />
      <text class="tick" x=${ROOM.left - 8} y=${y(tick)} dy="0.32em">${SHORT.format(tick)}</text></g>`)}
    ${categories.map((category, at) => at % each === 0 && html`<text key=${category} class="name" x=${middle(category)} y=${HEIGHT - ROOM.bottom + 20}>${cut(category)}</text>`)}
  </g>`;
}

const said = (category, name, value, write) => `${category}${name && ` · ${name}`}: ${write(value)}`;

function Bars({ bars, series, categories, x, y, write }) {
  return bars.map((ofSeries, index) => html`<g key=${series[index].name} class=${`series-${index}`}>${ofSeries.map(({ from, to }, at) => from !== to && html`<rect key=${categories[at]}
      x=${x(categories[at])} width=${x.bandwidth()} y=${Math.min(y(from), y(to))} height=${Math.abs(y(to) - y(from))}><title>${said(categories[at], series[index].name, series[index].values[at], write)}</title></rect>`)}</g>`);
}

function Lines({ series, categories, middle, y, write }) {
  const path = line().defined((value) => value !== null).x((_value, at) => middle(categories[at])).y((value) => y(value));
  return series.map(({ name, values }, index) => html`<g key=${name} class=${`line series-${index}`}><path d=${path(values)} />
    ${values.map((value, at) => value !== null && html`<circle key=${categories[at]} cx=${middle(categories[at])} cy=${y(value)} r="3"><title>${said(categories[at], name, value, write)}</title></circle>`)}</g>`);
}

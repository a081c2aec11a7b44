/** What a query answers: its rows, page by page where the query has pages. */
import { Note } from "../../components/note.js";
import { Table } from "../../components/table/table.js";
import { asProblem } from "../../api/problem.js";
import { countQuery, runQuery } from "../../api/gateway.js";
import { readOffer } from "../../api/records.js";
import { hrefTo } from "../../addresses.js";
import { useLoaded } from "../../components/loading.js";
import { number, plural } from "../../formats.js";
import { addedBy, guessType } from "../../api/descriptions.js";
import { html, useEffect, useMemo, useRef, useState } from "../../html.js";
import { t } from "../../texts.js";
import { write } from "../erp/write-value.js";
import { QueryChart } from "./query-chart.js";

const PAGE = 500;
const NOTHING = { isBusy: false, problem: null, result: null };

/**
 * Run a query and turn its pages. Pages are those of the values that it was run with, whatever the form says by now.
 *
 * @returns {{isBusy: boolean, problem: object | null, result: any, ask: (params: object) => void, cancel: () => void,
 *   turn: (offset: number) => void, tell: (problem: object | null) => void}}
 */
export function useRows(query) {
  const [state, setState] = useState(NOTHING);
  const last = useRef(/** @type {AbortController | null} */ (null));
  const limit = Math.min(PAGE, query.maxRows);
  useEffect(() => () => last.current?.abort(), []);
  const read = async (params, offset, shown) => {
    const controller = new AbortController();
    last.current?.abort();
    last.current = controller;
    setState({ ...NOTHING, isBusy: true, result: shown });
    try {
      const answer = await runQuery(query.name, params, query.paged ? { limit, offset } : {}, { signal: controller.signal });
      if (last.current === controller) setState({ ...NOTHING, result: { ...answer, params, offset, limit, isPaged: query.paged, query } });
    } catch (error) {
      if (last.current === controller) setState(error.name === "AbortError" ? { ...NOTHING, result: shown } : { ...NOTHING, problem: asProblem(error) });
    }
  };
  return {
    ...state,
    ask: (params) => read(params, 0, null),
    cancel: () => last.current?.abort(),
    turn: (offset) => read(state.result.params, offset, state.result),
    tell: (problem) => setState((now) => ({ ...now, problem, result: problem ? null : now.result })),
  };
}

const isPartOf = ({ offset, truncated, nextOffset }) => offset > 0 || truncated || (nextOffset ?? null) !== null;

/** How many rows there are where a page shows a part of them: counted once for all its pages; null where nobody can tell. */
function useTotal(result) {
  const isPart = result !== null && isPartOf(result);
  const counted = useLoaded(async (signal) => (isPart ? countQuery(result.query.name, result.params, { signal }) : null), [result?.params, isPart]);
  return isPart ? (counted.data ?? null) : null;
}

/** The records that this person may read, to link to them; none where nobody can tell. */
const readReadable = () => readOffer().then(({ items }) => new Set(items.filter(({ methods }) => methods.includes("GET")).map(({ name }) => name)), () => new Set());

export function QueryRows({ rows }) {
  const { result, isBusy, turn } = rows;
  const total = useTotal(result);
  const readable = useLoaded(readReadable, []).data;
  const table = useMemo(() => result && drawn(result, readable ?? new Set()), [result?.rows, readable]);
  return html`<p class="unseen" role="status">${result && !isBusy ? told(result, total) : ""}</p>
    ${result && html`
      ${result.truncated && !result.isPaged && html`<${Note} kind="warn">${t`Hay más filas que las que se entregan; ponga condiciones más estrechas.`}<//>`}
      ${result.query.chart && result.rows.length > 0 && html`<section class="panel" aria-label=${t`Gráfico`}><${QueryChart} query=${result.query} rows=${result.rows} isPart=${isPartOf(result)} /></section>`}
      <div class="panel flush" aria-busy=${String(isBusy)}>
        <header><h2>${told(result, total)}</h2>${isPartOf(result) && html`<span class="small muted">${t`El archivo las lleva todas.`}</span>`}
          ${!result.isPaged && result.rows.length > PAGE && html`<span class="small muted">${t`Se muestran las primeras ${PAGE}.`}</span>`}</header>
        ${table}
        ${result.isPaged && (result.offset > 0 || result.nextOffset !== null) && html`<${Turning} result=${result} total=${total} isBusy=${isBusy} onTurn=${turn} />`}
      </div>`}`;
}

function Turning({ result, total, isBusy, onTurn }) {
  const { offset, limit, nextOffset } = result;
  const go = (to) => !isBusy && to !== null && onTurn(to); // not `disabled`: it would lose the focus at the last page
  const previous = offset > 0 ? Math.max(0, offset - limit) : null;
  const button = (word, to) => html`<button type="button" class="small" aria-disabled=${String(isBusy || to === null)} onClick=${() => go(to)}>${word}</button>`;
  return html`<nav class="pager" aria-label=${t`Páginas`}><span>${isBusy ? t`Leyendo…` : told(result, total)}</span>
    <span class="actions">${button(t`Anterior`, previous)}${button(t`Siguiente`, nextOffset)}</span></nav>`;
}

function told({ rows, offset, isPaged, nextOffset, truncated }, total) {
  const isAll = isPaged ? offset === 0 && nextOffset === null : !truncated;
  if (isAll) return plural(rows.length, t`fila`, t`filas`);
  if (!rows.length) return t`Ninguna fila más`;
  if (total !== null && offset === 0) return t`${number(rows.length)} de ${plural(total, t`fila`, t`filas`)}`;
  const span = t`Filas ${number(offset + 1)} a ${number(offset + rows.length)}`;
  if (total !== null) return t`${span} de ${number(total)}`;
  return `${span}${isPaged && nextOffset === null ? t`, las últimas` : ""}`;
}

/** Drawn once for each answer, not with each key that is pressed in the form. */
function drawn({ rows, offset, truncated, query: { name: layout, titles, measures, links } }, readable) {
  const columns = Object.keys(rows[0] ?? {}).map((name, index) => {
    const text = (row) => write(row[name], { type: guessType(row[name], name) });
    const link = links[name];
    const keyIn = (row) => row[link.key ?? name];
    const linked = (row) => ((keyIn(row) ?? "") === "" || text(row) === "" ? text(row) : html`<a href=${hrefTo(["erp", link.resource, keyIn(row)])}>${text(row)}</a>`);
    return {
      key: name, title: titles[name] ?? name, head: index === 0, number: rows.some((row) => typeof row[name] === "number"),
      value: (row) => row[name], adds: addedBy(measures[name]), isMoney: measures[name]?.kind === "amount", text, cell: link && readable.has(link.resource) ? linked : text,
    };
  });
  const isPart = truncated || offset > 0 || rows.length > PAGE;
  const places = new Map(rows.map((row, at) => [row, at]));
  return html`<${Table} kind="records" caption=${t`Resultado`} layout=${`consulta/${layout}`} total=${isPart ? t`Total de estas filas` : undefined} isChoosable columns=${columns} rows=${rows.slice(0, PAGE)} rowKey=${(row) => offset + places.get(row)} empty=${t`Ninguna fila. Pruebe con otros datos.`} />`;
}

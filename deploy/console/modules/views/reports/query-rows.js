/** What a query answers: its rows, page by page where the query has pages. */
import { Note } from "../../components/note.js";
import { Table } from "../../components/table/table.js";
import { asProblem } from "../../api/problem.js";
import { runQuery } from "../../api/gateway.js";
import { number, plural } from "../../formats.js";
import { addedBy, guessType } from "../../api/descriptions.js";
import { html, useMemo, useRef, useState } from "../../html.js";
import { t } from "../../texts.js";
import { write } from "../erp/write-value.js";

const PAGE = 500;
const NOTHING = { isBusy: false, problem: null, result: null };

/**
 * Run a query and turn its pages. Pages are those of the values that it was run with, whatever the form says by now.
 *
 * @returns {{isBusy: boolean, problem: object | null, result: {rows: object[], offset: number} | null, ask: (params: object) => void,
 *   turn: (offset: number) => void, tell: (problem: object | null) => void}}
 */
export function useRows(query) {
  const [state, setState] = useState(NOTHING);
  const last = useRef(0);
  const limit = Math.min(PAGE, query.maxRows);
  const read = async (params, offset, shown) => {
    const number = ++last.current;
    setState({ ...NOTHING, isBusy: true, result: shown });
    try {
      const answer = await runQuery(query.name, params, query.paged ? { limit, offset } : {});
      if (number === last.current) setState({ ...NOTHING, result: { ...answer, params, offset, limit, isPaged: query.paged, query } });
    } catch (error) {
      if (number === last.current) setState({ ...NOTHING, problem: asProblem(error) });
    }
  };
  return {
    ...state,
    ask: (params) => read(params, 0, null),
    turn: (offset) => read(state.result.params, offset, state.result),
    tell: (problem) => setState((now) => ({ ...now, problem, result: problem ? null : now.result })),
  };
}

export function QueryRows({ rows }) {
  const { result, isBusy, turn } = rows;
  const table = useMemo(() => result && drawn(result), [result?.rows]);
  return html`<p class="unseen" role="status">${result && !isBusy ? told(result) : ""}</p>
    ${result && html`
      ${result.truncated && !result.isPaged && html`<${Note} kind="warn">${t`Hay más filas que las que se entregan; ponga condiciones más estrechas.`}<//>`}
      <div class="panel flush" aria-busy=${String(isBusy)}>
        <header><h2>${told(result)}</h2>${!result.isPaged && result.rows.length > PAGE && html`<span class="small muted">${t`Se muestran las primeras ${PAGE}.`}</span>`}</header>
        ${table}
        ${result.isPaged && (result.offset > 0 || result.nextOffset !== null) && html`<${Turning} result=${result} isBusy=${isBusy} onTurn=${turn} />`}
      </div>`}`;
}

function Turning({ result, isBusy, onTurn }) {
  const { offset, limit, nextOffset } = result;
  const go = (to) => !isBusy && to !== null && onTurn(to); // not `disabled`: it would lose the focus at the last page
  const previous = offset > 0 ? Math.max(0, offset - limit) : null;
  const button = (word, to) => html`<button type="button" class="small" aria-disabled=${String(isBusy || to === null)} onClick=${() => go(to)}>${word}</button>`;
  return html`<nav class="pager" aria-label=${t`Páginas`}><span>${isBusy ? t`Leyendo…` : told(result)}</span>
    <span class="actions">${button(t`Anterior`, previous)}${button(t`Siguiente`, nextOffset)}</span></nav>`;
}

function told({ rows, offset, isPaged, nextOffset }) {
  if (!isPaged || (offset === 0 && nextOffset === null)) return plural(rows.length, t`fila`, t`filas`);
  if (!rows.length) return t`Ninguna fila más`;
  return t`Filas ${number(offset + 1)} a ${number(offset + rows.length)}${nextOffset === null ? t`, las últimas` : ""}`;
}

/** Drawn once for each answer, not with each key that is pressed in the form. */
function drawn({ rows, offset, truncated, query: { name: layout, titles, measures } }) {
  const columns = Object.keys(rows[0] ?? {}).map((name, index) => {
    const text = (row) => write(row[name], { type: guessType(row[name], name) });
    return {
      key: name, title: titles[name] ?? name, head: index === 0, number: rows.some((row) => typeof row[name] === "number"),
      value: (row) => row[name], adds: addedBy(measures?.[name]), isMoney: measures?.[name]?.kind === "amount", text, cell: text,
    };
  });
  const isPart = truncated || offset > 0 || rows.length > PAGE;
  const places = new Map(rows.map((row, at) => [row, at]));
  return html`<${Table} caption=${t`Resultado`} layout=${`consulta/${layout}`} total=${isPart ? t`Total de estas filas` : undefined} isChoosable columns=${columns} rows=${rows.slice(0, PAGE)} rowKey=${(row) => offset + places.get(row)} empty=${t`Ninguna fila. Pruebe con otros datos.`} />`;
}

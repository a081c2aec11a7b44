/** The console's one table: its head stays in sight, its rows can be chosen, copied and sorted, and on a phone they are cards. Roles are written out, since the CSS of cards would remove them. */
import { html, useMemo, useRef, useState } from "../../html.js";
import { t } from "../../texts.js";
import { useWidths } from "./widths.js";
import { choiceColumn, useChosen } from "./choice.js";
import { ChosenBar } from "./chosen-bar.js";
import { useFitting } from "./fitting.js";
import { Head } from "./head.js";
import { moveByRows } from "./row-keys.js";
import { PhoneSort } from "./phone-sort.js";
import { Slice, SLICE, useDrawn } from "./slices.js";
import { sorted, sortKeyOf } from "./sorting.js";
import { useSteadyColumns } from "./steady-columns.js";
import { Sums } from "./sums.js";

/**
 * @param {object} props
 * @param {string} [props.empty] said where there are no rows
 * @param {string} props.caption what it holds, for screen readers
 * @param {{key: string, title: string, cell: (row: any) => any, number?: boolean, head?: boolean, controls?: boolean,
 *   quiet?: boolean, sortKey?: string, value?: (row: any) => any, adds?: (row: any) => string | null, isMoney?: boolean}[]} props.columns `value`: what its
 *   rows are sorted by here, where nobody else sorts them; `adds`: of which currency or unit a row's `value` is, which are added up
 *   below, each by itself, null where it isn't counted
 * @param {any[]} props.rows
 * @param {(row: any) => string} props.rowKey
 * @param {{key: string, down: boolean}} [props.sort] the column that the rows are sorted by
 * @param {(key: string, down: boolean) => void} [props.onSort]
 * @param {string} [props.total] what the sums below are of, where that isn't all there is
 * @param {string} [props.layout] under which the widths of its columns are remembered; without it they can't be changed
 * @param {boolean} [props.isChoosable] whether rows can be chosen
 * @param {string} [props.kind] a class for its looks
 * @param {(chosen: any[]) => any} [props.actions] what else can be done with the chosen rows
 * @param {{label: (row: any) => string, has?: (row: any) => boolean, content: (row: any) => any}} [props.inside] what a row opens to,
 *   drawn when somebody opens it
 */
export function Table({ empty = t`No hay nada que mostrar.`, ...table }) {
  return table.rows.length ? html`<${FilledTable} ...${table} />` : html`<p class="empty-note">${empty}</p>`;
}

function FilledTable({ caption, columns, rows: given, rowKey, rowClass, sort: told, onSort: tell, total = t`Total`, layout, kind = "", isChoosable = false, actions, inside }) {
  const [own, setOwn] = useState(null);
  const sort = tell ? told : own;
  const rows = useMemo(() => (tell ? given : sorted(given, columns, own)), [given, own]);
  const onSort = tell ?? ((key, down) => setOwn({ key, down }));
  const drawn = useDrawn(`${rows.length} ${rowKey(rows[0])}`, rows.length);
  const chosen = useChosen(rows, rowKey);
  const shown = useMemo(() => (isChoosable ? [choiceColumn(chosen, rows, rowKey, columns), ...columns] : columns), [isChoosable, rows, columns]);
  const box = useRef(null);
  const widths = useWidths(layout, shown, box);
  useSteadyColumns(box, rows.length > SLICE, shown.length, widths.now);
  useFitting(box);
  const slices = [];
  for (let from = 0; from < Math.min(drawn, rows.length); from += SLICE) slices.push(from);
  return html`<${PhoneSort} columns=${columns} sort=${sort} onSort=${onSort} canSort=${(column) => sortKeyOf(column, tell) !== undefined} />
    ${isChoosable && html`<${ChosenBar} chosen=${chosen} rows=${rows} rowKey=${rowKey} box=${box} actions=${actions} />`}
    <div class="table-box" role="region" aria-label=${caption} tabindex="0" ref=${box} onKeyDown=${moveByRows}>
    <table class=${`cards ${kind} ${widths.now ? "sized" : ""}`} style=${widths.style} role="table" aria-label=${caption}>
      ${widths.cols}
      <thead role="rowgroup">
        <tr role="row">
          ${shown.map((column) => html`<${Head} key=${column.key} column=${column} sortKey=${sortKeyOf(column, tell)} sort=${sort} onSort=${onSort} grip=${column.isChoice ? undefined : widths.grip} />`)}
        </tr>
      </thead>
      ${slices.map((from) => html`<${Slice} key=${from} from=${from} columns=${shown} rows=${rows} rowKey=${rowKey} rowClass=${rowClass} inside=${inside} />`)}
      ${rows.length > 1 && columns.some(({ adds }) => adds) && html`<${Sums} columns=${shown} rows=${rows} words=${total} />`}
    </table>
  </div>`;
}

/** Drawing many rows: a slice with each frame, so that the page keeps responding. */
import { html, useLayoutEffect, useMemo, useState } from "../../html.js";
import { cellOf } from "./cell.js";
import { OpeningRow } from "./opening-row.js";

export const SLICE = 50; // rows drawn in one go; more would hold the page up

/** How many rows are drawn by now: a slice more with each frame, from the first one anew when `what` changes. */
export function useDrawn(what, count) {
  const [drawn, setDrawn] = useState({ what, rows: SLICE });
  const rows = drawn.what === what ? drawn.rows : SLICE;
  useLayoutEffect(() => {
    if (rows >= count) return undefined;
    const frame = requestAnimationFrame(() => setDrawn({ what, rows: rows + SLICE }));
    return () => cancelAnimationFrame(frame);
  }, [what, rows, count]);
  return rows;
}

/** Drawn once; again only when rows or columns are others, not when a slice follows. */
export function Slice({ from, columns, rows, rowKey, rowClass, inside }) {
  return useMemo(
    () => html`<tbody role="rowgroup" style=${{ "--rows": Math.min(SLICE, rows.length - from) }}>
      ${rows.slice(from, from + SLICE).map((row) => inside
        ? html`<${OpeningRow} key=${rowKey(row)} row=${row} columns=${columns} kind=${rowClass?.(row) ?? ""} inside=${inside} />`
        : html`<tr role="row" key=${rowKey(row)} class=${rowClass?.(row) ?? ""}>${columns.map((column) => cellOf(column, row))}</tr>`)}
    </tbody>`,
    [from, columns, rows, inside],
  );
}

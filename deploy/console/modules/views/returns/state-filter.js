/** Which states a table shows. */
import { number } from "../../formats.js";
import { html, useMemo, useState } from "../../html.js";
import { KINDS } from "./states.js";

/** Rows of one state or of all, and the choice between them: `[rows, choice]`. */
export function useStates(rows, stateOf, label, all) {
  const [wanted, setWanted] = useState(null);
  const counts = useMemo(() => {
    const found = new Map();
    for (const [text, kind] of rows.map(stateOf)) found.set(text, { kind, count: (found.get(text)?.count ?? 0) + 1 });
    return [...found].sort(([, one], [, other]) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind));
  }, [rows]);
  const chosen = counts.some(([text]) => text === wanted) ? wanted : null;
  const shown = useMemo(() => (chosen ? rows.filter((row) => stateOf(row)[0] === chosen) : rows), [rows, chosen]);
  const choices = [[null, all, rows.length], ...counts.map(([text, { count }]) => [text, text, count])];
  const choice = counts.length > 1 && html`<div class="states" role="group" aria-label=${label}>
    ${choices.map(([value, text, count]) => html`<button type="button" class="small" key=${text} aria-pressed=${String(value === chosen)} onClick=${() => setWanted(value)}>${text} <b>${number(count)}</b></button>`)}
  </div>`;
  return /** @type {[any[], any]} */ ([shown, choice]);
}

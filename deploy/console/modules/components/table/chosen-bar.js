/** The bar above a table with actions for the chosen rows. */
import { plural, tsv } from "../../formats.js";
import { html } from "../../html.js";
import { useStore } from "../../store.js";
import { t } from "../../texts.js";
import { say } from "../toasts.js";

/** What can be done with the chosen rows; copying takes what is shown, as it is shown. */
export function ChosenBar({ chosen, rows, rowKey, box, actions }) {
  const keys = useStore(chosen);
  const copy = async () => {
    const table = box.current.firstElementChild;
    const wanted = new Set([...keys].map(String));
    const isWanted = (row) => wanted.has(row.querySelector("[data-choice]")?.dataset.choice);
    const found = [...table.tBodies].flatMap((body) => [...body.rows]).filter(isWanted);
    try {
      await navigator.clipboard.writeText(tsv([table.tHead.rows[0], ...found].map(textsOf)));
    } catch {
      return say(t`El navegador no permitió copiar las filas.`); // not allowed, or no clipboard at all
    }
    return say(t`${plural(found.length, t`fila copiada`, t`filas copiadas`)}: péguelas en una planilla.`);
  };
  const all = () => chosen.set(new Set(rows.map(rowKey)));
  return html`<div class="chosen" role="group" aria-label=${t`Filas elegidas`}>
    <span role="status">${keys.size ? t`${plural(keys.size, t`fila elegida`, t`filas elegidas`)} de ${rows.length}` : t`Ninguna fila elegida`}</span>
    ${keys.size < rows.length && html`<button type="button" class="plain small" onClick=${all}>${t`Elegir todas (${rows.length})`}</button>`}
    ${keys.size > 0 && html`<button type="button" class="plain small" onClick=${() => chosen.set(new Set())}>${t`Ninguna`}</button>
      <button type="button" class="small" onClick=${copy}>${t`Copiar`}</button>
      ${actions?.(rows.filter((row) => keys.has(rowKey(row))))}`}
  </div>`;
}

/** The texts of a row's cells, without what is there to be pressed. */
function textsOf(row) {
  const isText = (cell) => !cell.classList.contains("controls");
  const words = (cell) => [...cell.querySelectorAll(".note")].reduce((text, note) => text.replace(note.textContent, ` ${note.textContent}`), cell.textContent);
  return [...row.cells].filter(isText).map((cell) => words(cell).replace(/[↑↓]$/, ""));
}

/** Asks which column of a pasted table is which, where the service can't tell. */
import { Form } from "../../components/form.js";
import { html, useEffect, useRef, useState } from "../../html.js";
import { t } from "../../texts.js";
import { COLUMN_MEANINGS } from "./words.js";

const NEEDED = ["codigo", "cantidad"];

/**
 * The columns that need no choice: those that alone are most likely the code, or the quantity.
 *
 * @param {{indice: number, posibles: string[]}[]} columnas
 * @returns {Record<string, number>} the index of a column, by its meaning
 */
export function likelyColumns(columnas) {
  /** @type {Record<string, number>} */
  const likely = {};
  for (const meaning of NEEDED) {
    const fitting = columnas.filter(({ posibles }) => posibles[0] === meaning);
    if (fitting.length === 1) likely[meaning] = fitting[0].indice;
  }
  return likely;
}

/** @param {{reason: string, filas: string[][], columnas: {indice: number, posibles: string[]}[], isBusy: boolean, onAnswer: (columnas: Record<string, number | null>) => void}} props */
export function ColumnsQuestion({ reason, filas, columnas, isBusy, onAnswer }) {
  const [chosen, setChosen] = useState(() => likelyColumns(columnas));
  const box = useRef(null);
  useEffect(() => box.current?.querySelector("select")?.focus(), []);
  const meaningAt = (index) => Object.keys(chosen).find((meaning) => chosen[meaning] === index) ?? "";
  const choose = (index) => (event) => {
    const meaning = event.target.value;
    const others = Object.entries(chosen).filter(([name, at]) => at !== index && name !== meaning);
    setChosen({ ...Object.fromEntries(others), ...(meaning && { [meaning]: index }) });
  };
  const missing = NEEDED.filter((meaning) => chosen[meaning] === undefined);
  const answer = () => {
    if (!missing.length) onAnswer(Object.fromEntries(Object.keys(COLUMN_MEANINGS).map((meaning) => [meaning, chosen[meaning] ?? null])));
  };
  return html`<${Form} box=${box} class="panel flush column-choice" label=${t`Columnas de la planilla`} onSubmit=${answer}>
    <header><h2>${t`¿Qué tiene cada columna?`}</h2><span class="muted" role="alert">${reason}</span></header>
    <div class="table-box" tabindex="0" role="group" aria-label=${t`Primeras filas de la planilla`}>
      <table aria-label=${t`Primeras filas de la planilla`}>
        <thead>
          <tr>${columnas.map(({ indice, posibles }) => html`<th key=${indice} scope="col">
            <select aria-label=${t`Columna ${indice + 1}`} value=${meaningAt(indice)} onChange=${choose(indice)}>
              <option value="" selected=${!meaningAt(indice)}>${t`No se lee`}</option>
              ${posibles.map((meaning) => html`<option value=${meaning} selected=${meaningAt(indice) === meaning}>${COLUMN_MEANINGS[meaning]}</option>`)}
            </select>
          </th>`)}</tr>
        </thead>
        <tbody>
          ${filas.map((fila, number) => html`<tr key=${number}>${columnas.map(({ indice }) => html`<td key=${indice}>${fila[indice] ?? ""}</td>`)}</tr>`)}
        </tbody>
      </table>
    </div>
    <div class="actions">
      <button type="submit" class="main" disabled=${isBusy || missing.length > 0}>${isBusy && html`<span class="busy"></span>`}${t`Usar estas columnas`}</button>
      <span class="muted" role="status">${missing.length > 0 && t`Falta indicar: ${missing.map((meaning) => COLUMN_MEANINGS[meaning]).join(", ")}.`}</span>
    </div>
  <//>`;
}

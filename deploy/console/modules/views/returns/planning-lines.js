/** The lines of a planning, and what can be done with them. */
import { asProblem } from "../../api/problem.js";
import { downloadShortages } from "../../api/returns.js";
import { save } from "../../components/export-buttons.js";
import { plural } from "../../formats.js";
import { html, useState } from "../../html.js";
import { t } from "../../texts.js";
import { LinesTable } from "./lines-table.js";
import { isShort } from "./sheet.js";

export function PlanningLines({ planning, may, extra, onOpen, onProblem }) {
  const [isFetching, setFetching] = useState(false);
  const keepShortages = async () => {
    setFetching(true);
    onProblem(null);
    try {
      save(await downloadShortages(planning.id));
    } catch (error) {
      onProblem(asProblem(error));
    }
    setFetching(false);
  };
  return html`<section class="panel flush">
    <header><h2>${plural(planning.lineas.length, t`línea`, t`líneas`)}</h2>
      <div class="actions">
        ${may("lineas") && html`<button type="button" class="small" onClick=${() => onOpen("add")}>${t`Añadir artículos`}</button>`}
        ${may("replanificar") && html`<button type="button" class="small" onClick=${() => onOpen("replan")}>${t`Planificar de nuevo`}</button>`}
        ${planning.lineas.some(isShort) && html`<button type="button" class="small" disabled=${isFetching} onClick=${keepShortages}>${t`Descargar faltantes`}</button>`}
      </div>
    </header>
    <${LinesTable} caption=${t`Líneas de la planificación`} planning=${planning} rowKey=${(line) => line.lineId} extra=${extra} />
  </section>`;
}

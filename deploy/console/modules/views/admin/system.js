/** The state of the system. */
import { Note } from "../../components/note.js";
import { PageHead } from "../../components/page.js";
import { ProblemNote } from "../../components/problem-note.js";
import { Waiting } from "../../components/waiting.js";
import { clock } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { EVERY_MS, useReadings } from "./readings.js";
import { Now } from "./system-now.js";
import { WritesTable } from "./writes.js";

export function SystemPage() {
  const { readings, writes, names, problem, at, isResting } = useReadings();
  const now = readings.at(-1);
  return html`<${PageHead} title=${t`Estado del sistema`} about=${at ? t`Leído a las ${clock(at)}; se lee de nuevo cada ${EVERY_MS / 1000} segundos.` : t`Se lee cada pocos segundos.`} />
    <${ProblemNote} problem=${problem} />
    ${isResting && html`<${Note} kind="warn">${t`En pausa, porque nadie ha tocado la página. Mueva el puntero o pulse una tecla.`}<//>`}
    ${now ? html`<${Now} now=${now} readings=${readings} />` : !problem && html`<${Waiting} />`}
    ${now && html`<section class="panel flush"><header><h2>${t`Últimas operaciones`}</h2><a href="#/escrituras?resultado=unknown">${t`Las que no se sabe`}</a></header><${WritesTable} rows=${writes} names=${names} /></section>`}`;
}

/** The state now: figures and their last minutes. */
import { Badge } from "../../components/badge.js";
import { Note } from "../../components/note.js";
import { Table } from "../../components/table/table.js";
import { exactMoment, number } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { Chart } from "./chart.js";
import { Parts } from "./system-parts.js";

export const LAST_WRITES = 10;
const REASONS = { unwell: t`El ERP no responde.`, unreachable: t`No se puede conectar con el ERP.`, login_refused: t`El ERP no acepta el usuario del servicio.`, user_locked: t`El usuario del servicio está bloqueado en el ERP.`, company_directory: t`El directorio del sistema (SLD) no da la base de datos de la sociedad.`, company_unknown: t`El ERP no tiene la sociedad configurada.`, no_licence: t`El usuario del servicio no tiene licencia en el ERP, o no quedan libres.` };

const SERIES = [
  { title: t`Esperan al ERP`, unit: t`peticiones`, of: (state) => state.queue.waiting },
  { title: t`Con el ERP`, unit: t`peticiones`, of: (state) => state.queue.running },
  { title: t`Sesiones`, unit: t`personas`, of: (state) => state.sessions.live },
  { title: t`Imprimiéndose`, unit: t`documentos`, of: (state) => state.printing.waiting + state.printing.running },
];

export function Now({ now, readings }) {
  const { erp, queue, errors } = now;
  return html`${erp.status === "ok"
      ? html`<${Note} kind="ok"><strong>${t`El ERP responde.`}</strong><//>`
      : html`<${Note} kind="bad" live><strong>${REASONS[erp.reason] ?? t`El ERP no se puede usar.`}</strong> ${t`Lo que se pide se rechaza enseguida; vuelve solo cuando el ERP vuelve.`}<//>`}
    <ul class="charts">
      ${SERIES.map((series) => html`<li class="card" key=${series.title}>
        <div class="top"><h2>${series.title}</h2><strong>${number(series.of(now))}</strong></div>
        <${Chart} title=${series.title} unit=${series.unit} values=${readings.map(series.of)} />
      </li>`)}
    </ul>
    <div class="split">
      <section class="panel"><header><h2>${t`Partes`}</h2></header><${Parts} now=${now} /></section>
      <section class="panel flush"><header><h2>${t`Quién espera`}</h2></header>
        <${Table} caption=${t`Quién espera`} rows=${queue.users} rowKey=${(row) => row.user} empty=${t`Nadie espera: cada petición pasa al ERP enseguida.`} columns=${[
          { key: "user", title: t`Usuario`, head: true, cell: (row) => (row.user === "anonymous" ? t`quienes entran` : row.user) },
          { key: "waiting", title: t`Peticiones`, number: true, cell: (row) => number(row.waiting) },
          { key: "longestS", title: t`La que más, s`, number: true, cell: (row) => number(row.longestS) },
        ]} />
      </section>
    </div>
    <section class="panel flush"><header><h2>${t`Últimos fallos`}</h2></header>
      <${Table} caption=${t`Últimos fallos`} rows=${errors} rowKey=${(row) => row.requestId} empty=${t`Ninguno desde el arranque: no hay nada que revisar.`} columns=${[
        { key: "at", title: t`Cuándo`, head: true, cell: (row) => exactMoment(row.at) },
        { key: "route", title: t`Ruta`, cell: (row) => html`<span class="mono small">${row.method} ${row.route}</span>` },
        { key: "status", title: t`Respuesta`, cell: (row) => html`<${Badge} kind="bad">${row.status}<//> <span class="mono small">${row.code}</span>` },
        { key: "requestId", title: t`Petición`, cell: (row) => html`<span class="mono small anywhere">${row.requestId}</span>` },
      ]} />
    </section>`;
}

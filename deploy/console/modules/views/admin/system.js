/** How the gateway is at this moment; it reads itself anew, and keeps what it has read for small charts. */
import { Badge, State } from "../../components/badge.js";
import { Note, ProblemNote, Waiting } from "../../components/feedback.js";
import { Chart } from "./chart.js";
import { PageHead } from "../../components/page.js";
import { Table } from "../../components/table.js";
import { asProblem } from "../../api/problem.js";
import { listWrites, readSystem } from "../../api/gateway.js";
import { clock, exactMoment, moment, number } from "../../formats.js";
import { html, useEffect, useRef, useState } from "../../html.js";
import { t } from "../../texts.js";
import { readNames } from "../erp/names.js";
import { WritesTable } from "./writes.js";

const EVERY_MS = 5000;
const KEPT = 60;
const REST_AFTER_MS = 10 * 60 * 1000;
const LAST_WRITES = 10;
const REASONS = { unwell: t`El ERP no responde.`, unreachable: t`No se puede conectar con el ERP.`, login_refused: t`El ERP no acepta el usuario del servicio.`, user_locked: t`El usuario del servicio está bloqueado en el ERP.`, company_directory: t`El directorio del sistema (SLD) no da la base de datos de la sociedad.` };

const SERIES = [
  { title: t`Esperan al ERP`, unit: t`peticiones`, of: (state) => state.queue.waiting },
  { title: t`Con el ERP`, unit: t`peticiones`, of: (state) => state.queue.running },
  { title: t`Sesiones`, unit: t`personas`, of: (state) => state.sessions.live },
  { title: t`Imprimiéndose`, unit: t`documentos`, of: (state) => state.printing.waiting + state.printing.running },
];

/**
 * The readings so far, the newest last. Nothing is read while the page is hidden, nor when nobody has touched it for
 * long: each reading counts as use of the session, which would never end.
 */
function useReadings() {
  const [state, setState] = useState({ readings: [], writes: [], names: undefined, problem: null, at: null, isResting: false });
  const isReading = useRef(false);
  useEffect(() => {
    let isOpen = true;
    let touched = Date.now();
    const touch = () => {
      touched = Date.now();
    };
    const kinds = ["pointermove", "pointerdown", "keydown", "visibilitychange"];
    for (const kind of kinds) addEventListener(kind, touch, { passive: true });
    const look = async () => {
      const isResting = Date.now() - touched > REST_AFTER_MS;
      setState((now) => (now.isResting === isResting ? now : { ...now, isResting }));
      if (document.hidden || isResting || isReading.current) return;
      isReading.current = true;
      try {
        const [reading, writes, names] = await Promise.all([readSystem(), listWrites({ pageSize: LAST_WRITES }), readNames()]);
        if (isOpen) setState((now) => ({ ...now, names, readings: [...now.readings, reading].slice(-KEPT), writes: writes.items, problem: null, at: new Date() }));
      } catch (error) {
        if (isOpen) setState((now) => ({ ...now, problem: asProblem(error) }));
      }
      isReading.current = false;
    };
    look();
    const timer = setInterval(look, EVERY_MS);
    return () => {
      isOpen = false;
      clearInterval(timer);
      for (const kind of kinds) removeEventListener(kind, touch);
    };
  }, []);
  return state;
}

export function SystemPage() {
  const { readings, writes, names, problem, at, isResting } = useReadings();
  const now = readings.at(-1);
  return html`<${PageHead} title=${t`Estado del sistema`} about=${at ? t`Leído a las ${clock(at)}; se lee de nuevo cada ${EVERY_MS / 1000} segundos.` : t`Se lee cada pocos segundos.`} />
    <${ProblemNote} problem=${problem} />
    ${isResting && html`<${Note} kind="warn">${t`En pausa, porque nadie ha tocado la página. Mueva el puntero o pulse una tecla.`}<//>`}
    ${now ? html`<${Now} now=${now} readings=${readings} />` : !problem && html`<${Waiting} />`}
    ${now && html`<section class="panel flush"><header><h2>${t`Últimas operaciones`}</h2><a href="#/escrituras?resultado=unknown">${t`Las que no se sabe`}</a></header><${WritesTable} rows=${writes} names=${names} /></section>`}`;
}

function Now({ now, readings }) {
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

const SESSIONS = { active: [t`Abierta`, "ok"], none: [t`Ninguna`, ""], logging_in: [t`Se abre`, "now"], failing: [t`Rechazada`, "bad"], ended: [t`Cerrada`, ""] };

function Parts({ now }) {
  const { reportGateway, database, printing, audit, log } = now;
  const work = ({ waiting, running }) => t`${number(running)} en curso, ${number(waiting)} en espera`;
  const rows = [
    [t`Versión`, now.version],
    [t`Funciona desde`, moment(now.startedAt)],
    [t`Sesión en el ERP`, html`<${State} of=${now.erp.session} words=${SESSIONS} />`],
    [t`Informes del ERP`, reportGateway.configured ? work(reportGateway) : t`no configurado`],
    [t`Base de datos`, database.engine ? `${database.engine}: ${work(database)}` : t`no configurada`],
    [t`Impresión`, printing.available ? `${printing.engine}: ${work(printing)}` : t`no hay con qué imprimir`],
    [t`Auditoría por guardar`, number(audit.owed)],
    [t`Líneas de registro perdidas`, number(log.droppedAudit + log.droppedOther)],
  ];
  return html`<dl class="pairs">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

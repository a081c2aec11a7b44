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
import { readNames } from "../erp/names.js";
import { WritesTable } from "./writes.js";

const EVERY_MS = 5000;
const KEPT = 60;
const REST_AFTER_MS = 10 * 60 * 1000;
const LAST_WRITES = 10;
const REASONS = { unwell: "El ERP no responde.", unreachable: "No se puede conectar con el ERP.", login_refused: "El ERP no acepta el usuario del servicio.", user_locked: "El usuario del servicio está bloqueado en el ERP.", company_directory: "El directorio del sistema (SLD) no da la base de datos de la sociedad." };

const SERIES = [
  { title: "Esperan al ERP", unit: "peticiones", of: (state) => state.queue.waiting },
  { title: "Con el ERP", unit: "peticiones", of: (state) => state.queue.running },
  { title: "Sesiones", unit: "personas", of: (state) => state.sessions.live },
  { title: "Imprimiéndose", unit: "documentos", of: (state) => state.printing.waiting + state.printing.running },
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
  return html`<${PageHead} title="Estado del sistema" about=${at ? `Leído a las ${clock(at)}; se lee de nuevo cada ${EVERY_MS / 1000} segundos.` : "Se lee cada pocos segundos."} />
    <${ProblemNote} problem=${problem} />
    ${isResting && html`<${Note} kind="warn">En pausa, porque nadie ha tocado la página. Mueva el puntero o pulse una tecla.<//>`}
    ${now ? html`<${Now} now=${now} readings=${readings} />` : !problem && html`<${Waiting} />`}
    ${now && html`<section class="panel flush"><header><h2>Últimas escrituras</h2><a href="#/escrituras?resultado=unknown">Las que no se sabe</a></header><${WritesTable} rows=${writes} names=${names} /></section>`}`;
}

function Now({ now, readings }) {
  const { erp, queue, errors } = now;
  return html`${erp.status === "ok"
      ? html`<${Note} kind="ok"><strong>El ERP responde.</strong><//>`
      : html`<${Note} kind="bad" live><strong>${REASONS[erp.reason] ?? "El ERP no se puede usar."}</strong> Lo que se pide se rechaza enseguida; vuelve solo cuando el ERP vuelve.<//>`}
    <ul class="charts">
      ${SERIES.map((series) => html`<li class="card" key=${series.title}>
        <div class="top"><h2>${series.title}</h2><strong>${number(series.of(now))}</strong></div>
        <${Chart} title=${series.title} unit=${series.unit} values=${readings.map(series.of)} />
      </li>`)}
    </ul>
    <div class="split">
      <section class="panel"><header><h2>Partes</h2></header><${Parts} now=${now} /></section>
      <section class="panel flush"><header><h2>Quién espera</h2></header>
        <${Table} caption="Quién espera" rows=${queue.users} rowKey=${(row) => row.user} empty="Nadie espera: cada petición pasa al ERP enseguida." columns=${[
          { key: "user", title: "Usuario", head: true, cell: (row) => (row.user === "anonymous" ? "quienes entran" : row.user) },
          { key: "waiting", title: "Peticiones", number: true, cell: (row) => number(row.waiting) },
          { key: "longestS", title: "La que más, s", number: true, cell: (row) => number(row.longestS) },
        ]} />
      </section>
    </div>
    <section class="panel flush"><header><h2>Últimos fallos</h2></header>
      <${Table} caption="Últimos fallos" rows=${errors} rowKey=${(row) => row.requestId} empty="Ninguno desde el arranque: no hay nada que revisar." columns=${[
        { key: "at", title: "Cuándo", head: true, cell: (row) => exactMoment(row.at) },
        { key: "route", title: "Ruta", cell: (row) => html`<span class="mono small">${row.method} ${row.route}</span>` },
        { key: "status", title: "Respuesta", cell: (row) => html`<${Badge} kind="bad">${row.status}<//> <span class="mono small">${row.code}</span>` },
        { key: "requestId", title: "Petición", cell: (row) => html`<span class="mono small anywhere">${row.requestId}</span>` },
      ]} />
    </section>`;
}

const SESSIONS = { active: ["Abierta", "ok"], none: ["Ninguna", ""], logging_in: ["Se abre", "now"], failing: ["Rechazada", "bad"], ended: ["Cerrada", ""] };

function Parts({ now }) {
  const { reportGateway, database, printing, audit, log } = now;
  const work = ({ waiting, running }) => `${number(running)} en curso, ${number(waiting)} en espera`;
  const rows = [
    ["Versión", now.version],
    ["Funciona desde", moment(now.startedAt)],
    ["Sesión en el ERP", html`<${State} of=${now.erp.session} words=${SESSIONS} />`],
    ["Informes del ERP", reportGateway.configured ? work(reportGateway) : "no configurado"],
    ["Base de datos", database.engine ? `${database.engine}: ${work(database)}` : "no configurada"],
    ["Impresión", printing.available ? `${printing.engine}: ${work(printing)}` : "no hay con qué imprimir"],
    ["Auditoría por guardar", number(audit.owed)],
    ["Líneas de registro perdidas", number(log.droppedAudit + log.droppedOther)],
  ];
  return html`<dl class="pairs">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

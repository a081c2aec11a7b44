/** Today's work at the gateway: what to settle, what is made, and for administrators how the ERP is. All of it is asked of the gateway alone. */
import { Badge } from "../../components/badge.js";
import { ProblemNote, Waiting } from "../../components/feedback.js";
import { useLoaded } from "../../components/loading.js";
import { hrefTo } from "../../addresses.js";
import { listWrites, readAudit, readErpHealth } from "../../api/gateway.js";
import { listJobs } from "../../api/jobs.js";
import { asProblem } from "../../api/problem.js";
import { moment, plural, today } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { RecordName, readNames } from "../erp/names.js";
import { KINDS } from "../admin/write-words.js";
import { JobState, titleOfJob } from "../reports/job-words.js";

const MOST = 5;

async function readDoubts() {
  const found = await listWrites({ resultado: "unknown", pageSize: MOST });
  return { ...found, names: found.total ? await readNames() : new Map() };
}

const readRefusals = () => readAudit({ accion: "permission_denied", desde: today(), pageSize: MOST });

const PARTS = [
  { title: t`Operaciones por aclarar`, href: "#/escrituras?resultado=unknown", read: readDoubts, show: Doubts },
  { title: t`Trabajos`, href: "#/trabajos", read: listJobs, show: Jobs },
  { title: t`El ERP`, href: "#/sistema", read: readErpHealth, show: ErpState, forAdministrators: true },
  { title: t`Permisos negados hoy`, href: hrefTo(["auditoria"], { accion: "permission_denied" }), read: readRefusals, show: Refusals, forAdministrators: true },
];

/** All parts, drawn with what follows once the last one has come, so that nothing moves; one that is refused says so in its place. */
export function GatewayToday({ isAdministrator, children }) {
  const parts = PARTS.filter((part) => isAdministrator || !part.forAdministrators);
  const found = useLoaded(() => Promise.all(parts.map(({ read }) => read().then((data) => ({ data }), (error) => ({ problem: asProblem(error) })))), []);
  if (!found.data) return html`<${Waiting} />`;
  return html`<div class="split">${found.data.map(({ data, problem }, at) => {
    const { title, href, show: Part } = parts[at];
    return html`<section class="panel" key=${title}><header><h2>${title}</h2><a href=${href}>${t`Ver todo`}</a></header>
      ${problem ? html`<${ProblemNote} problem=${problem} onRetry=${found.load} />` : html`<${Part} data=${data} />`}
    </section>`;
  })}</div>${children}`;
}

const Nothing = ({ children }) => html`<p class="muted">${children}</p>`;
const more = ({ total, items }) => total > items.length && html`<p class="small muted">y ${plural(total - items.length, t`más`, t`más`)}</p>`;

function Doubts({ data }) {
  if (!data.total) return html`<${Nothing}>${t`Nada que aclarar: de todo lo que se envió al ERP se sabe qué fue.`}<//>`;
  return html`<ul class="stack tight">${data.items.map((write) => html`<li key=${write.id}>
      <a href=${hrefTo(["escrituras"], { numero: write.id })}>${KINDS[write.kind] ?? write.kind}</a>: <${RecordName} names=${data.names} resource=${write.resource} recordKey=${write.key} isLink=${false} />
      <span class="note">${write.webUser}, ${moment(write.at)}</span>
    </li>`)}</ul>${more(data)}`;
}

function Jobs({ data }) {
  if (!data.length) return html`<${Nothing}>${t`No hay ninguno. Los PDF se piden en`} <a href="#/informes">${t`Informes y consultas`}</a>.<//>`;
  return html`<ul class="stack tight">${data.slice(0, MOST).map((job) => html`<li key=${job.id}>${titleOfJob(job)} <${JobState} job=${job} />
      <span class="note">${job.endedAt ? t`terminó el ${moment(job.endedAt)}` : t`pedido el ${moment(job.createdAt)}`}</span></li>`)}</ul>
    ${more({ total: data.length, items: data.slice(0, MOST) })}`;
}

function ErpState() {
  return html`<p><${Badge} kind="ok">${t`Responde`}<//></p>`;
}

function Refusals({ data }) {
  if (!data.total) return html`<${Nothing}>${t`A nadie: no hay permisos que revisar.`}<//>`;
  return html`<ul class="stack tight">${data.items.map((each) => html`<li key=${each.id}>${each.webUser ?? t`alguien`}: <span class="mono small">${each.resource} ${each.key}</span>
      <span class="note">${moment(each.at)}</span></li>`)}</ul>${more(data)}`;
}

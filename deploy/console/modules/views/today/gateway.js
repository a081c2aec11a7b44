/** Today's work at the gateway: what to settle, what is made, and for administrators how the ERP is. All of it is asked of the gateway alone. */
import { hrefTo } from "../../addresses.js";
import { readErpHealth } from "../../api/gateway.js";
import { listJobs } from "../../api/jobs.js";
import { asProblem } from "../../api/problem.js";
import { readOffer } from "../../api/records.js";
import { useLoaded } from "../../components/loading.js";
import { ProblemNote } from "../../components/problem-note.js";
import { Waiting } from "../../components/waiting.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { Doubts, readDoubts } from "./doubts.js";
import { ErpState } from "./erp-state.js";
import { HomeCards } from "./home-cards.js";
import { Jobs } from "./jobs.js";
import { LargeActions } from "./large-actions.js";
import { readRefusals, Refusals } from "./refusals.js";

const PARTS = [
  { title: t`Operaciones por aclarar`, href: "#/escrituras?resultado=unknown", read: readDoubts, show: Doubts },
  { title: t`Trabajos`, href: "#/trabajos", read: listJobs, show: Jobs },
  { title: t`El ERP`, href: "#/sistema", read: readErpHealth, show: ErpState, forAdministrators: true },
  { title: t`Permisos negados hoy`, href: hrefTo(["auditoria"], { accion: "permission_denied" }), read: readRefusals, show: Refusals, forAdministrators: true },
];

/** All parts, drawn with what follows once the last one has come, so that nothing moves; one that is refused says so in its place. */
export function GatewayToday({ isAdministrator, isInReturns, children }) {
  const parts = PARTS.filter((part) => isAdministrator || !part.forAdministrators);
  const found = useLoaded(async () => {
    const offer = readOffer().catch(() => ({ items: [] }));
    const read = await Promise.all(parts.map((part) => part.read().then((data) => ({ data }), (error) => ({ problem: asProblem(error) }))));
    return { offer: await offer, read };
  }, []);
  if (!found.data) return html`<${Waiting} />`;
  return html`<${LargeActions} offer=${found.data.offer} isInReturns=${isInReturns} />
    <${HomeCards} offer=${found.data.offer} />
    <div class="split">${found.data.read.map(({ data, problem }, at) => {
    const { title, href, show: Part } = parts[at];
    return html`<section class="panel" key=${title}><header><h2>${title}</h2><a href=${href}>${t`Ver todo`}</a></header>
      ${problem ? html`<${ProblemNote} problem=${problem} onRetry=${found.load} />` : html`<${Part} data=${data} />`}
    </section>`;
  })}</div>${children}`;
}

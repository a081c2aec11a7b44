/** What is said of a long export. */
import { State } from "../../components/badge.js";
import { html } from "../../html.js";

const KINDS = { report: "Informe del ERP", document: "Documentos", html_report: "Informe" };
const STATES = { running: ["En curso", "now"], done: ["Listo", "ok"], failed: ["Falló", "bad"] };

export const titleOfJob = (job) => job.title ?? KINDS[job.kind];

export function JobState({ job }) {
  return html`<${State} of=${job.state} words=${STATES} />
    ${job.state === "running" && job.total > 1 && html` <span class="small">${job.done} de ${job.total}</span>`}
    ${job.error && html`<div class="small">${job.error.message}</div>`}`;
}

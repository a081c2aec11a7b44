/** What is said of a long export. */
import { Badge } from "../../components/feedback.js";
import { html } from "../../html.js";

const KINDS = { report: "Informe del ERP", document: "Documentos", html_report: "Informe" };
const STATES = { running: ["now", "En curso"], done: ["ok", "Listo"], failed: ["bad", "Falló"] };

export const titleOfJob = (job) => job.title ?? KINDS[job.kind];

export function JobState({ job }) {
  const [kind, word] = STATES[job.state];
  return html`<${Badge} kind=${kind}>${word}<//>
    ${job.state === "running" && job.total > 1 && html` <span class="small">${job.done} de ${job.total}</span>`}
    ${job.error && html`<div class="small">${job.error.message}</div>`}`;
}

/** What is said of a long export. */
import { State } from "../../components/badge.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";

const KINDS = { report: t`Informe del ERP`, document: t`Documentos`, html_report: t`Informe` };
const STATES = { running: [t`En curso`, "now"], done: [t`Listo`, "ok"], failed: [t`Falló`, "bad"] };

export const titleOfJob = (job) => job.title ?? KINDS[job.kind];

export function JobState({ job }) {
  return html`<${State} of=${job.state} words=${STATES} />
    ${job.state === "running" && job.total > 1 && html` <span class="small">${t`${job.done} de ${job.total}`}</span>`}
    ${job.error && html`<div class="small">${job.error.message}</div>`}`;
}

/** PDFs that are being made. */
import { moment } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { JobState, titleOfJob } from "../reports/job-words.js";
import { more, MOST, Nothing } from "./card-rows.js";

export function Jobs({ data }) {
  if (!data.length) return html`<${Nothing}>${t`No hay ninguno. Los PDF se piden en`} <a href="#/informes">${t`Informes y consultas`}</a>.<//>`;
  return html`<ul class="stack tight">${data.slice(0, MOST).map((job) => html`<li key=${job.id}>${titleOfJob(job)} <${JobState} job=${job} />
      <span class="note">${job.endedAt ? t`terminó el ${moment(job.endedAt)}` : t`pedido el ${moment(job.createdAt)}`}</span></li>`)}</ul>
    ${more({ total: data.length, items: data.slice(0, MOST) })}`;
}

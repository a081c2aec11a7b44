/** What this person has had made beside other work: how far it is, and what came of it. */
import { Dialog } from "../../components/dialog.js";
import { ProblemNote } from "../../components/problem-note.js";
import { say } from "../../components/toasts.js";
import { save } from "../../components/export-buttons.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Table } from "../../components/table/table.js";
import { asProblem } from "../../api/problem.js";
import { fetchResult, listJobs, removeJob } from "../../api/jobs.js";
import { moment } from "../../formats.js";
import { html, useEffect, useState } from "../../html.js";
import { t } from "../../texts.js";
import { JobState, titleOfJob } from "./job-words.js";

const LOOKS_EVERY_MS = 2000;

export function JobsPage() {
  const found = useLoaded(listJobs, []);
  const [problem, setProblem] = useState(null);
  const [asked, setAsked] = useState(null);
  const isRunning = found.data?.some((job) => job.state === "running") ?? false;
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => document.visibilityState === "visible" && found.load(), LOOKS_EVERY_MS);
    return () => clearInterval(timer);
  }, [isRunning, found.load]);
  const act = async (work) => {
    setProblem(null);
    setAsked(null);
    try {
      await work();
    } catch (error) {
      setProblem(asProblem(error));
    }
    found.load();
  };
  const remove = (job) => act(async () => {
    await removeJob(job.id);
    say(job.state === "running" ? t`El trabajo se canceló.` : t`El trabajo se quitó.`);
  });
  const columns = [
    { key: "what", title: t`Qué`, head: true, cell: (job) => titleOfJob(job) },
    { key: "state", title: t`Estado`, cell: (job) => html`<${JobState} job=${job} />` },
    { key: "createdAt", title: t`Pedido`, cell: (job) => moment(job.createdAt) },
    { key: "expiresAt", title: t`Se guarda hasta`, cell: (job) => moment(job.expiresAt) },
    { key: "act", title: t`Qué hacer`, quiet: true, controls: true, cell: (job) => html`<span class="actions">
      ${job.result && html`<button type="button" class="small main" aria-label=${t`Descargar ${titleOfJob(job)}`} onClick=${() => act(async () => save(await fetchResult(job.id)))}>${t`Descargar`}</button>`}
      <button type="button" class="small" aria-label=${`${wordFor(job)} ${titleOfJob(job)} de ${moment(job.createdAt)}`} onClick=${() => (job.state === "running" ? setAsked(job) : remove(job))}>${wordFor(job)}</button>
    </span>` },
  ];
  return html`<${PageHead} title=${t`Trabajos`} about=${t`Los PDF que tardan se hacen aparte y se guardan un rato, solo para usted.`}><button type="button" onClick=${found.load}>${t`Leer de nuevo`}</button><//>
    <${ProblemNote} problem=${problem} />
    <${Loaded} from=${found} what=${t`Leyendo los trabajos…`}>${(items) => html`<section class="panel flush"><${Table} caption=${t`Trabajos`} columns=${columns} rows=${items} rowKey=${(job) => job.id} empty=${html`${t`No hay ninguno. Los PDF se piden en`} <a href="#/informes">${t`Informes y consultas`}</a>${t`, o al imprimir las filas elegidas de una lista.`}`} /></section>`}<//>
    ${asked && html`<${Dialog} title=${t`Cancelar el trabajo`} onClose=${() => setAsked(null)} onSubmit=${() => remove(asked)}
        foot=${html`<button type="button" onClick=${() => setAsked(null)}>${t`Seguir haciéndolo`}</button><button type="submit" class="danger main">${t`Cancelar el trabajo`}</button>`}>
      <p>${t`Lo hecho hasta ahora se pierde. En el ERP no cambia nada.`}</p>
    <//>`}`;
}

const wordFor = (job) => (job.state === "running" ? t`Cancelar` : t`Quitar`);

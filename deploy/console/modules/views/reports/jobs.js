/** What this person has had made beside other work: how far it is, and what came of it. */
import { Dialog, ProblemNote, say } from "../../components/feedback.js";
import { save } from "../../components/export-buttons.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Table } from "../../components/table.js";
import { asProblem } from "../../api/problem.js";
import { fetchResult, listJobs, removeJob } from "../../api/jobs.js";
import { moment } from "../../formats.js";
import { html, useEffect, useState } from "../../html.js";
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
    say(job.state === "running" ? "El trabajo se canceló." : "El trabajo se quitó.");
  });
  const columns = [
    { key: "what", title: "Qué", head: true, cell: (job) => titleOfJob(job) },
    { key: "state", title: "Estado", cell: (job) => html`<${JobState} job=${job} />` },
    { key: "createdAt", title: "Pedido", cell: (job) => moment(job.createdAt) },
    { key: "expiresAt", title: "Se guarda hasta", cell: (job) => moment(job.expiresAt) },
    { key: "act", title: "Qué hacer", quiet: true, controls: true, cell: (job) => html`<span class="actions">
      ${job.result && html`<button type="button" class="small main" aria-label=${`Descargar ${titleOfJob(job)}`} onClick=${() => act(async () => save(await fetchResult(job.id)))}>Descargar</button>`}
      <button type="button" class="small" aria-label=${`${wordFor(job)} ${titleOfJob(job)} de ${moment(job.createdAt)}`} onClick=${() => (job.state === "running" ? setAsked(job) : remove(job))}>${wordFor(job)}</button>
    </span>` },
  ];
  return html`<${PageHead} title="Trabajos" about="Los PDF que tardan se hacen aparte y se guardan un rato, solo para usted."><button type="button" onClick=${found.load}>Leer de nuevo</button><//>
    <${ProblemNote} problem=${problem} />
    <${Loaded} from=${found}>${(items) => html`<section class="panel flush"><${Table} caption="Trabajos" columns=${columns} rows=${items} rowKey=${(job) => job.id} empty=${html`No hay ninguno. Los PDF se piden en <a href="#/informes">Informes y consultas</a>, o al imprimir las filas elegidas de una lista.`} /></section>`}<//>
    ${asked && html`<${Dialog} title="Cancelar el trabajo" onClose=${() => setAsked(null)} onSubmit=${() => remove(asked)}
        foot=${html`<button type="button" onClick=${() => setAsked(null)}>Seguir haciéndolo</button><button type="submit" class="danger main">Cancelar el trabajo</button>`}>
      <p>Lo hecho hasta ahora se pierde. En el ERP no cambia nada.</p>
    <//>`}`;
}

const wordFor = (job) => (job.state === "running" ? "Cancelar" : "Quitar");

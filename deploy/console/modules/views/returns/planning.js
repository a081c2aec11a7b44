/** One planning: what it holds, and what may be done with it now, which the service says in `acciones`. */
import { readCatalogues, readPlanning } from "../../api/returns.js";
import { useLoaded } from "../../components/loading.js";
import { Note } from "../../components/note.js";
import { PageHead } from "../../components/page.js";
import { ProblemNote } from "../../components/problem-note.js";
import { Progress } from "../../components/progress.js";
import { say } from "../../components/toasts.js";
import { Waiting } from "../../components/waiting.js";
import { moment, plural } from "../../formats.js";
import { html, useState } from "../../html.js";
import { returns } from "../../session/returns-session.js";
import { t } from "../../texts.js";
import { useEditColumns } from "./edit-columns.js";
import { Figures } from "./figures.js";
import { lackingIn } from "./header-values.js";
import { Outcome } from "./outcome.js";
import { PickList, usePrinting } from "./pick-list.js";
import { PlanningDialog } from "./planning-dialog.js";
import { PlanningDocuments } from "./planning-documents.js";
import { PlanningHeader } from "./planning-header.js";
import { PlanningLines } from "./planning-lines.js";
import { MissingFields, MissingPicks } from "./planning-needs.js";
import { usePlanningRun } from "./planning-run.js";
import { isStale } from "./sending.js";
import { holdingOf, holdsHeader, isHeld, lacksPicks, sheetOf } from "./sheet.js";
import { PlanningState } from "./states.js";
import { planningStateOf } from "./words.js";

const CRUMBS = [["#/devoluciones", t`Planificaciones`]];

export function PlanningPage({ params }) {
  const loaded = useLoaded(() => readPlanning(params.id), [params.id]);
  if (loaded.data) return html`<${Planning} key=${params.id} loaded=${loaded} />`;
  return html`<${PageHead} title=${t`Planificación ${params.id}`} crumbs=${CRUMBS} />
    ${loaded.problem ? html`<${ProblemNote} problem=${loaded.problem} onRetry=${loaded.load} />` : html`<${Waiting} />`}`;
}

function Planning({ loaded }) {
  const planning = loaded.data;
  const catalogues = useLoaded(readCatalogues, []);
  const [open, setOpen] = useState(null);
  const running = usePlanningRun(loaded);
  const may = (action) => running.run === null && planning.acciones.includes(action);
  const show = (kind, lineId = undefined) => setOpen({ kind, lineId });
  const columns = useEditColumns(planning, may("editar"), (lineId) => show("line", lineId));
  const { isPrinting, print } = usePrinting();
  const put = (next, text) => {
    loaded.put(next);
    setOpen(null);
    running.forget();
    if (text) say(text);
  };
  const start = (what, body) => {
    setOpen(null);
    return running.start(what, body);
  };
  const lacking = holdsHeader(planning.documentos) ? [] : lackingIn(catalogues.data, planning.cabecera);
  const mayChangeHeader = may("editar") && holdingOf(planning.documentos).size === 0;
  const documents = html`<${PlanningDocuments} key="documents" planning=${planning} states=${running.run?.states} extra=${columns.ofItems} onPrint=${print} />`;
  const lines = html`<${PlanningLines} key="lines" planning=${planning} may=${may} extra=${columns.ofLines} onOpen=${show} onProblem=${running.setProblem} />`;
  return html`<${Head} planning=${planning} may=${may} isWhole=${lacking.length === 0} onOpen=${show} />
    <${RunNotes} running=${running} loaded=${loaded} />
    ${may("editar") && html`<${Needs} planning=${planning} lacking=${lacking} onOpen=${show} />`}
    <${Figures} planning=${planning} />
    ${stateOf(planning) === "planificada" ? [lines, documents] : [documents, lines]}
    <${PlanningHeader} header=${planning.cabecera} catalogues=${catalogues.data} onChange=${mayChangeHeader && (() => show("header"))} />
    ${open && html`<${PlanningDialog} open=${open} planning=${planning} catalogues=${catalogues.data} onClose=${() => setOpen(null)} onDone=${put} onRefresh=${loaded.load} onRun=${start} />`}
    ${isPrinting && html`<${PickList} planning=${planning} warehouse=${catalogues.data?.almacenes.find(({ whsCode }) => whsCode === planning.cabecera.whsCode)} />`}`;
}

const hasReturns = ({ documentos }) => documentos.some(({ estado }) => estado === "creado");
const stateOf = (planning) => planningStateOf({ estado: planning.estado, creados: Number(hasReturns(planning)) });

/** The title with the actions; `isWhole` says that the header has all that the company requires. */
function Head({ planning, may, isWhole, onOpen }) {
  const { cabecera } = planning;
  const mayRun = may("devoluciones") && isWhole && sheetOf(planning).some(({ estado, lacks }) => estado === "pendiente" && !lacks);
  const hasMade = hasReturns(planning);
  const next = mayRun ? "execute" : may("reprocesar") ? "reprocess" : "pdf"; // there is one primary button
  const kindOf = (what) => (what === next ? "main" : "");
  return html`<${PageHead} title=${t`Planificación ${planning.numero}`} crumbs=${CRUMBS} openedAt=${returns}
      about=${html`<${PlanningState} state=${stateOf(planning)} /> ${t`Bodega ${cabecera.whsCode}, hecha por ${planning.usuario} el ${moment(planning.creada)}`}`}>
    ${mayRun && html`<button type="button" class=${kindOf("execute")} onClick=${() => onOpen("execute")}>${t`Ejecutar`}</button>`}
    ${may("reprocesar") && html`<button type="button" class=${kindOf("reprocess")} onClick=${() => onOpen("reprocess")}>${t`Reprocesar`}</button>`}
    ${hasMade && html`<button type="button" class=${kindOf("pdf")} onClick=${() => onOpen("pdf")}>${t`Ver documentos tributarios`}</button>`}
    ${may("cerrar") && html`<button type="button" onClick=${() => onOpen("close")}>${t`Cerrar planificación`}</button>`}
  <//>`;
}

/** How a run goes, and what it came to. */
function RunNotes({ running: { run, outcome, problem, setProblem, isRunningElsewhere }, loaded }) {
  const refresh = async () => {
    if (!(await loaded.load())) setProblem(null);
  };
  return html`${run && html`<section class="panel"><${Progress} done=${run.hechos} total=${run.total}>
      ${run.total ? `${run.hechos} de ${plural(run.total, t`documento`, t`documentos`)}` : t`Preparando los documentos…`}
    <//></section>`}
    ${isRunningElsewhere && html`<${Note} live>${t`Se está ejecutando. Esta página se pone al día sola.`}<//>`}
    ${outcome && html`<${Outcome} outcome=${outcome} problem=${problem} />`}
    ${!outcome && html`<${ProblemNote} problem=${problem}>
      ${isStale(problem) && html`<div class="actions"><button type="button" onClick=${refresh}>${t`Traer lo nuevo`}</button></div>`}
    <//>`}
    <${ProblemNote} problem=${loaded.problem} onRetry=${loaded.load} />`;
}

function Needs({ planning, lacking, onOpen }) {
  const holding = holdingOf(planning.documentos);
  const waiting = planning.lineas.filter((line) => lacksPicks(line) && !isHeld(line, holding));
  return html`${waiting.length > 0 && html`<${MissingPicks} lines=${waiting} onOpen=${onOpen} />`}
    ${lacking.length > 0 && html`<${MissingFields} titles=${lacking} onOpen=${onOpen} />`}`;
}

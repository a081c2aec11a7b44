/** One planning: what it holds, and what may be done with it now, which the service says in `acciones`. */
import { Note, ProblemNote, Progress, Waiting, say } from "../../components/feedback.js";
import { PageHead } from "../../components/page.js";
import { asProblem } from "../../api/problem.js";
import { readCatalogues, readPlanning, runPlanning } from "../../api/returns.js";
import { day, moment, plural } from "../../formats.js";
import { html, useEffect, useMemo, useState } from "../../html.js";
import { useLoaded } from "../../components/loading.js";
import { DocumentCards, Figures, LinesTable, PlanningState } from "./pieces.js";
import { AddDialog } from "./add-dialog.js";
import { answersOf, lackingIn } from "./header-fields.js";
import { CloseDialog, ExecuteDialog, HeaderDialog, LineDialog, ReplanDialog, ReprocessDialog } from "./planning-dialogs.js";
import { PdfDialog } from "./pdf-dialog.js";
import { lacksPicks } from "./words.js";

const LOOK_AGAIN_MS = 3000;
const NAMED = 6; // items that wait for their batches, in the note about them

const createdIn = ({ documentos }) => documentos.filter(({ estado }) => estado === "creado").map(({ docId }) => docId);
const editWord = (line) => (lacksPicks(line) ? `Elegir ${line.gestion}` : "Cambiar");

export function PlanningPage({ params }) {
  const loaded = useLoaded(() => readPlanning(params.id), [params.id]);
  const catalogues = useLoaded(readCatalogues, []);
  const [open, setOpen] = useState(null);
  const [run, setRun] = useState(null);
  const [problem, setProblem] = useState(null);
  const planning = loaded.data;

  const isRunningElsewhere = planning?.estado === "en_proceso" && planning.acciones.length === 0 && run === null;
  useEffect(() => {
    if (!isRunningElsewhere) return undefined;
    const timer = setInterval(loaded.load, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isRunningElsewhere]);

  const mayEdit = run === null && (planning?.acciones.includes("editar") ?? false);
  const edit = useMemo(() => [{
    key: "editar", title: "Cambiar", quiet: true, controls: true,
    cell: (line) => mayEdit && html`<button type="button" class="small" onClick=${() => setOpen({ kind: "line", line })} aria-label=${`${editWord(line)} ${line.itemCode}`}>${editWord(line)}</button>`,
  }], [mayEdit]);

  const put = (next, text) => {
    loaded.put(next);
    setOpen(null);
    setProblem(null);
    if (text) say(text);
  };
  const start = async (what, body) => {
    setOpen(null);
    setProblem(null);
    setRun({ what, hechos: 0, total: 0, states: {} });
    try {
      const done = await runPlanning(planning.id, what, body, (progress) =>
        setRun((now) => ({
          ...now,
          ...progress,
          states: progress.documento ? { ...now.states, [progress.documento.docId]: progress.documento } : now.states,
        })),
      );
      loaded.put(done);
      const before = new Set(createdIn(planning));
      say(`${plural(createdIn(done).filter((docId) => !before.has(docId)).length, "devolución creada", "devoluciones creadas")} en el ERP.`);
    } catch (error) {
      setProblem(asProblem(error));
      loaded.load();
    }
    setRun(null);
  };

  if (!planning) {
    return html`<${PageHead} title=${`Planificación ${params.id}`} crumbs=${[["#/devoluciones", "Planificaciones"]]} />
      ${loaded.problem ? html`<${ProblemNote} problem=${loaded.problem} onRetry=${loaded.load} />` : html`<${Waiting} />`}`;
  }
  const may = (action) => run === null && planning.acciones.includes(action);
  const documents = planning.documentos.map((document) => ({ ...document, ...run?.states[document.docId] }));
  const made = planning.documentos.filter((document) => document.docEntry !== null);
  const waiting = planning.lineas.filter(lacksPicks);
  const { cabecera } = planning;
  const lacking = lackingIn(catalogues.data, cabecera);
  const isPlan = planning.estado === "planificada"; // the lines are what one still works on
  const documentsPart = html`<section key="documents" class="stack tight">
      <h2>${plural(documents.length, "documento por proveedor", "documentos por proveedor")}</h2>
      <${DocumentCards} documents=${documents} />
    </section>`;
  const linesPart = html`<section key="lines" class="panel flush">
      <header><h2>${plural(planning.lineas.length, "línea", "líneas")}</h2>
        <div class="actions">
          ${may("lineas") && html`<button type="button" class="small" onClick=${() => setOpen({ kind: "add" })}>Añadir artículos</button>`}
          ${may("replanificar") && html`<button type="button" class="small" onClick=${() => setOpen({ kind: "replan" })}>Planificar de nuevo</button>`}
        </div>
      </header>
      <${LinesTable} caption="Líneas de la planificación" lines=${planning.lineas} rowKey=${(line) => line.lineId} extra=${edit} />
    </section>`;
  return html`<${PageHead} title=${`Planificación ${planning.numero}`} crumbs=${[["#/devoluciones", "Planificaciones"]]}
      about=${html`<${PlanningState} state=${planning.estado} /> Bodega ${cabecera.whsCode}, hecha por ${planning.usuario} el ${moment(planning.creada)}`}>
      ${may("devoluciones") && html`<button type="button" class="main" onClick=${() => setOpen({ kind: "execute" })}>Ejecutar</button>`}
      ${may("reprocesar") && html`<button type="button" class=${may("devoluciones") ? "" : "main"} onClick=${() => setOpen({ kind: "reprocess" })}>Reprocesar</button>`}
      ${made.length > 0 && html`<button type="button" class=${planning.acciones.includes("reprocesar") ? "" : "main"} onClick=${() => setOpen({ kind: "pdf" })}>Ver PDF</button>`}
      ${may("cerrar") && html`<button type="button" onClick=${() => setOpen({ kind: "close" })}>Cerrar planificación</button>`}
    <//>
    ${run && html`<section class="panel"><${Progress} done=${run.hechos} total=${run.total}>
      ${run.total ? `${run.hechos} de ${plural(run.total, "documento", "documentos")}` : "Preparando los documentos…"}
    <//></section>`}
    ${isRunningElsewhere && html`<${Note} live>Se está ejecutando. Esta página se pone al día sola.<//>`}
    <${ProblemNote} problem=${problem} />
    <${ProblemNote} problem=${loaded.problem} onRetry=${loaded.load} />
    ${mayEdit && waiting.length > 0 && html`<${Note} kind="warn">
      <p>${plural(waiting.length, "artículo espera", "artículos esperan")} que elija sus lotes o series antes de ejecutar.</p>
      <div class="actions">${waiting.slice(0, NAMED).map((line) => html`<button type="button" class="small" key=${line.lineId} onClick=${() => setOpen({ kind: "line", line })}>Elegir los de ${line.itemCode}</button>`)}
        ${waiting.length > NAMED && html`<span>y ${plural(waiting.length - NAMED, "más, en su línea", "más, en sus líneas")}</span>`}</div>
    <//>`}
    ${mayEdit && lacking.length > 0 && html`<${Note} kind="warn">
      <p>Antes de ejecutar hay que completar: ${lacking.join(", ")}.</p>
      <div class="actions"><button type="button" class="small" onClick=${() => setOpen({ kind: "header" })}>Completar datos</button></div>
    <//>`}
    <${Figures} summary=${planning.resumen} />
    ${isPlan ? [linesPart, documentsPart] : [documentsPart, linesPart]}
    <section class="panel">
      <header><h2>Datos de la devolución</h2>
        ${may("editar") && html`<button type="button" class="small" disabled=${!catalogues.data} onClick=${() => setOpen({ kind: "header" })}>Cambiar datos</button>`}
      </header>
      <dl class="pairs columns">
        ${[
          ["Fecha de contabilización", day(cabecera.fecha)],
          ["Fecha del documento", day(cabecera.fechaDocumento)],
          ["Serie", nameOf(catalogues.data?.series, "serie", cabecera.serie) ?? "La del ERP"],
          ["Motivo", nameOf(catalogues.data?.motivos, "codigo", cabecera.motivo) ?? "Sin motivo"],
          ["Tipo de traslado", nameOf(catalogues.data?.indTraslado, "codigo", cabecera.indTraslado) ?? cabecera.indTraslado],
          ["Tipo de despacho", nameOf(catalogues.data?.tipoDespacho, "codigo", cabecera.tipoDespacho) ?? "Sin indicar"],
          ...answersOf(catalogues.data, cabecera).map(([label, answer]) => [label, answer ?? "Sin indicar"]),
          ["Comentario", cabecera.comentario ?? "Sin comentario"],
        ].map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
      </dl>
    </section>
    ${open?.kind === "execute" && html`<${ExecuteDialog} planning=${planning} onClose=${() => setOpen(null)} onRun=${(body) => start("devoluciones", body)} />`}
    ${open?.kind === "reprocess" && html`<${ReprocessDialog} planning=${planning} onClose=${() => setOpen(null)} onRun=${(body) => start("reprocesar", body)} />`}
    ${open?.kind === "close" && html`<${CloseDialog} planning=${planning} onClose=${() => setOpen(null)} onDone=${(next) => put(next, "Planificación cerrada.")} />`}
    ${open?.kind === "line" && html`<${LineDialog} key=${open.line.lineId} planning=${planning} line=${open.line} catalogues=${catalogues.data} onClose=${() => setOpen(null)} onDone=${put} onStale=${loaded.load} />`}
    ${open?.kind === "add" && html`<${AddDialog} planning=${planning} catalogues=${catalogues.data} onClose=${() => setOpen(null)} onDone=${put} onStale=${loaded.load} />`}
    ${open?.kind === "replan" && html`<${ReplanDialog} planning=${planning} onClose=${() => setOpen(null)} onDone=${put} onStale=${loaded.load} />`}
    ${open?.kind === "header" && html`<${HeaderDialog} planning=${planning} catalogues=${catalogues.data} onClose=${() => setOpen(null)} onDone=${put} onStale=${loaded.load} />`}
    ${open?.kind === "pdf" && html`<${PdfDialog} planning=${planning} documents=${made} onClose=${() => { setOpen(null); loaded.load(); }} />`}`;
}

function nameOf(values, key, wanted) {
  return wanted === null ? null : (values?.find((each) => each[key] === wanted)?.nombre ?? wanted);
}

/** One planning: what it holds, and what may be done with it now, which the service says in `acciones`. */
import { asProblem } from "../../api/problem.js";
import { downloadShortages, readCatalogues, readPlanning, runPlanning } from "../../api/returns.js";
import { save } from "../../components/export-buttons.js";
import { useLoaded } from "../../components/loading.js";
import { Note } from "../../components/note.js";
import { PageHead } from "../../components/page.js";
import { ProblemNote } from "../../components/problem-note.js";
import { Progress } from "../../components/progress.js";
import { say } from "../../components/toasts.js";
import { Waiting } from "../../components/waiting.js";
import { day, moment, plural } from "../../formats.js";
import { html, useEffect, useLayoutEffect, useMemo, useState } from "../../html.js";
import { returns } from "../../session/returns-session.js";
import { t } from "../../texts.js";
import { AddDialog } from "./add-dialog.js";
import { CloseDialog } from "./close-dialog.js";
import { DocumentsTable } from "./documents-table.js";
import { ExecuteDialog } from "./execute-dialog.js";
import { Figures } from "./figures.js";
import { HeaderDialog } from "./header-dialog.js";
import { answersOf, lackingIn } from "./header-values.js";
import { LineDialog } from "./line-dialog.js";
import { LinesTable } from "./lines-table.js";
import { GOES_ON, NAMED, Outcome } from "./outcome.js";
import { PdfDialog } from "./pdf-dialog.js";
import { PickList, usePrinting } from "./pick-list.js";
import { ReplanDialog } from "./replan-dialog.js";
import { ReprocessDialog } from "./reprocess-dialog.js";
import { isStale } from "./sending.js";
import { holdingOf, holdsHeader, isGone, isHeld, isShort, lacksPicks, outcomeOf, sheetOf } from "./sheet.js";
import { PlanningState } from "./states.js";

const LOOK_AGAIN_MS = 3000;
const editWord = (line) => (lacksPicks(line) ? t`Elegir ${line.gestion}` : t`Cambiar`);

export function PlanningPage({ params }) {
  const loaded = useLoaded(() => readPlanning(params.id), [params.id]);
  const catalogues = useLoaded(readCatalogues, []);
  const [open, setOpen] = useState(null);
  const [run, setRun] = useState(null);
  const [before, setBefore] = useState(null); // the planning when the run began whose end is awaited
  const [outcome, setOutcome] = useState(null); // of the last run, as it was at its end
  const [isFetching, setFetching] = useState(false);
  const [problem, setProblem] = useState(null);
  const planning = loaded.data;

  const isRunningElsewhere = planning?.estado === "en_proceso" && planning.acciones.length === 0 && run === null;
  useEffect(() => {
    if (!isRunningElsewhere) return undefined;
    const timer = setInterval(loaded.load, LOOK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      setProblem(null); // it was about what has ended now
    };
  }, [isRunningElsewhere]);
  const hasRun = before !== null && run === null && !isRunningElsewhere && !(problem && planning.version === before.version);
  useLayoutEffect(() => {
    if (!hasRun) return;
    setOutcome(outcomeOf(before.documentos, planning.documentos));
    setBefore(null);
  }, [hasRun]);

  const mayEdit = run === null && (planning?.acciones.includes("editar") ?? false);
  const holding = useMemo(() => holdingOf(planning?.documentos ?? []), [planning]);
  const [edit, pick] = useMemo(() => {
    const open = (line) => html`<button type="button" class="small" onClick=${() => setOpen({ kind: "line", lineId: line.lineId })} aria-label=${`${editWord(line)} ${line.itemCode}`}>${editWord(line)}</button>`;
    const column = { key: "editar", title: t`Cambiar`, quiet: true, controls: true };
    return [
      [{ ...column, cell: (line) => mayEdit && !isHeld(line, holding) && open(line) }],
      mayEdit ? [{ ...column, cell: ({ line }) => lacksPicks(line) && !isHeld(line, holding) && open(line) }] : [],
    ];
  }, [mayEdit, holding]);
  const shown = useMemo(() => planning && { ...planning, documentos: planning.documentos.map((document) => ({ ...document, ...run?.states[document.docId] })) }, [planning, run?.states]);
  const { isPrinting, print } = usePrinting();

  const put = (next, text) => {
    loaded.put(next);
    setOpen(null);
    setProblem(null);
    setBefore(null);
    setOutcome(null);
    if (text) say(text);
  };
  const start = async (what, body) => {
    setOpen(null);
    setProblem(null);
    setBefore(planning);
    setOutcome(null);
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
    } catch (error) {
      const found = asProblem(error);
      setProblem(found);
      if (!GOES_ON.includes(found.code)) setBefore(null);
      if (!isStale(found)) await loaded.load(); // there the person brings it
    }
    setRun(null);
  };

  if (!planning) {
    return html`<${PageHead} title=${t`Planificación ${params.id}`} crumbs=${[["#/devoluciones", t`Planificaciones`]]} />
      ${loaded.problem ? html`<${ProblemNote} problem=${loaded.problem} onRetry=${loaded.load} />` : html`<${Waiting} />`}`;
  }
  const refresh = async () => {
    if (!(await loaded.load())) setProblem(null);
  };
  const keepShortages = async () => {
    setFetching(true);
    setProblem(null);
    try {
      save(await downloadShortages(planning.id));
    } catch (error) {
      setProblem(asProblem(error));
    }
    setFetching(false);
  };
  const may = (action) => run === null && planning.acciones.includes(action);
  const sheet = sheetOf(planning);
  const ready = sheet.filter(({ estado, lacks }) => estado === "pendiente" && !lacks);
  const made = planning.documentos.filter(({ estado }) => estado === "creado");
  const waiting = planning.lineas.filter((line) => lacksPicks(line) && !isHeld(line, holding));
  const { cabecera } = planning;
  const lacking = holdsHeader(planning.documentos) ? [] : lackingIn(catalogues.data, cabecera);
  const isPlan = planning.estado === "planificada"; // the lines are what one still works on
  const mayRun = may("devoluciones") && ready.length > 0 && lacking.length === 0;
  const mayChangeHeader = may("editar") && holding.size === 0;
  const goesBack = sheet.some((document) => !isGone(document) && document.parts.length > 0);
  const documentsPart = html`<section key="documents" class="panel flush">
      <header><h2>${plural(shown.documentos.filter((each) => !isGone(each)).length, t`documento por proveedor`, t`documentos por proveedor`)}</h2>
        ${goesBack && html`<button type="button" class="small" onClick=${print}>${t`Imprimir lista de retiro`}</button>`}
      </header>
      <${DocumentsTable} planning=${shown} extra=${pick} />
    </section>`;
  const linesPart = html`<section key="lines" class="panel flush">
      <header><h2>${plural(planning.lineas.length, t`línea`, t`líneas`)}</h2>
        <div class="actions">
          ${may("lineas") && html`<button type="button" class="small" onClick=${() => setOpen({ kind: "add" })}>${t`Añadir artículos`}</button>`}
          ${may("replanificar") && html`<button type="button" class="small" onClick=${() => setOpen({ kind: "replan" })}>${t`Planificar de nuevo`}</button>`}
          ${planning.lineas.some(isShort) && html`<button type="button" class="small" disabled=${isFetching} onClick=${keepShortages}>${t`Descargar faltantes`}</button>`}
        </div>
      </header>
      <${LinesTable} caption=${t`Líneas de la planificación`} planning=${planning} rowKey=${(line) => line.lineId} extra=${edit} />
    </section>`;
  return html`<${PageHead} title=${t`Planificación ${planning.numero}`} crumbs=${[["#/devoluciones", t`Planificaciones`]]} openedAt=${returns}
      about=${html`<${PlanningState} state=${planning.estado} /> ${t`Bodega ${cabecera.whsCode}, hecha por ${planning.usuario} el ${moment(planning.creada)}`}`}>
      ${mayRun && html`<button type="button" class="main" onClick=${() => setOpen({ kind: "execute" })}>${t`Ejecutar`}</button>`}
      ${may("reprocesar") && html`<button type="button" class=${mayRun ? "" : "main"} onClick=${() => setOpen({ kind: "reprocess" })}>${t`Reprocesar`}</button>`}
      ${made.length > 0 && html`<button type="button" class=${planning.acciones.includes("reprocesar") ? "" : "main"} onClick=${() => setOpen({ kind: "pdf" })}>${t`Ver documentos tributarios`}</button>`}
      ${may("cerrar") && html`<button type="button" onClick=${() => setOpen({ kind: "close" })}>${t`Cerrar planificación`}</button>`}
    <//>
    ${run && html`<section class="panel"><${Progress} done=${run.hechos} total=${run.total}>
      ${run.total ? `${run.hechos} de ${plural(run.total, t`documento`, t`documentos`)}` : t`Preparando los documentos…`}
    <//></section>`}
    ${isRunningElsewhere && html`<${Note} live>${t`Se está ejecutando. Esta página se pone al día sola.`}<//>`}
    ${outcome && html`<${Outcome} outcome=${outcome} problem=${problem} />`}
    ${!outcome && html`<${ProblemNote} problem=${problem}>
      ${isStale(problem) && html`<div class="actions"><button type="button" onClick=${refresh}>${t`Traer lo nuevo`}</button></div>`}
    <//>`}
    <${ProblemNote} problem=${loaded.problem} onRetry=${loaded.load} />
    ${mayEdit && waiting.length > 0 && html`<${Note} kind="warn">
      <p>${t`${plural(waiting.length, t`artículo espera`, t`artículos esperan`)} que elija sus lotes o series antes de ejecutar.`}</p>
      <div class="actions">${waiting.slice(0, NAMED).map((line) => html`<button type="button" class="small" key=${line.lineId} onClick=${() => setOpen({ kind: "line", lineId: line.lineId })}>${t`Elegir los de ${line.itemCode}`}</button>`)}
        ${waiting.length > NAMED && html`<span>y ${plural(waiting.length - NAMED, t`más, en su línea`, t`más, en sus líneas`)}</span>`}</div>
    <//>`}
    ${mayEdit && lacking.length > 0 && html`<${Note} kind="warn">
      <p>${t`Antes de ejecutar hay que completar: ${lacking.join(", ")}.`}</p>
      <div class="actions"><button type="button" class="small" onClick=${() => setOpen({ kind: "header" })}>${t`Completar datos`}</button></div>
    <//>`}
    <${Figures} planning=${planning} />
    ${isPlan ? [linesPart, documentsPart] : [documentsPart, linesPart]}
    <section class="panel">
      <header><h2>${t`Datos de la devolución`}</h2>
        ${mayChangeHeader && html`<button type="button" class="small" disabled=${!catalogues.data} onClick=${() => setOpen({ kind: "header" })}>${t`Cambiar datos`}</button>`}
      </header>
      <dl class="pairs columns">
        ${[
          [t`Fecha de contabilización`, day(cabecera.fecha)],
          [t`Fecha del documento`, day(cabecera.fechaDocumento)],
          [t`Serie`, nameOf(catalogues.data?.series, "serie", cabecera.serie) ?? t`La del ERP`],
          [t`Motivo`, nameOf(catalogues.data?.motivos, "codigo", cabecera.motivo) ?? t`Sin motivo`],
          [t`Tipo de traslado`, nameOf(catalogues.data?.indTraslado, "codigo", cabecera.indTraslado) ?? cabecera.indTraslado],
          [t`Tipo de despacho`, nameOf(catalogues.data?.tipoDespacho, "codigo", cabecera.tipoDespacho) ?? t`Sin indicar`],
          ...answersOf(catalogues.data, cabecera).map(([label, answer]) => [label, answer ?? t`Sin indicar`]),
          [t`Comentario`, cabecera.comentario ?? t`Sin comentario`],
        ].map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
      </dl>
    </section>
    ${open?.kind === "execute" && html`<${ExecuteDialog} planning=${planning} sheet=${sheet} onClose=${() => setOpen(null)} onRun=${(body) => start("devoluciones", body)} />`}
    ${open?.kind === "reprocess" && html`<${ReprocessDialog} planning=${planning} onClose=${() => setOpen(null)} onRun=${(body) => start("reprocesar", body)} />`}
    ${open?.kind === "close" && html`<${CloseDialog} planning=${planning} onClose=${() => setOpen(null)} onDone=${(next) => put(next, t`Planificación cerrada.`)} />`}
    ${open?.kind === "line" && html`<${LineDialog} key=${open.lineId} planning=${planning} lineId=${open.lineId} catalogues=${catalogues.data} onClose=${() => setOpen(null)} onDone=${put} onRefresh=${loaded.load} />`}
    ${open?.kind === "add" && html`<${AddDialog} planning=${planning} catalogues=${catalogues.data} onClose=${() => setOpen(null)} onDone=${put} onRefresh=${loaded.load} />`}
    ${open?.kind === "replan" && html`<${ReplanDialog} planning=${planning} onClose=${() => setOpen(null)} onDone=${put} onRefresh=${loaded.load} />`}
    ${open?.kind === "header" && html`<${HeaderDialog} planning=${planning} catalogues=${catalogues.data} onClose=${() => setOpen(null)} onDone=${put} onRefresh=${loaded.load} />`}
    ${open?.kind === "pdf" && html`<${PdfDialog} planning=${planning} documents=${made} onClose=${() => { setOpen(null); loaded.load(); }} />`}
    ${isPrinting && html`<${PickList} planning=${planning} />`}`;
}

function nameOf(values, key, wanted) {
  return wanted === null ? null : (values?.find((each) => each[key] === wanted)?.nombre ?? wanted);
}

/** Whether the ERP has what plannings are kept in, and making it. */
import { State } from "../../components/badge.js";
import { Note, ProblemNote, say } from "../../components/feedback.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Table } from "../../components/table.js";
import { asProblem } from "../../api/problem.js";
import { readMetadata, rebuildMetadata } from "../../api/returns.js";
import { plural } from "../../formats.js";
import { html, useState } from "../../html.js";
import { returnsSession } from "../../session/returns-session.js";
import { useStore } from "../../store.js";

const STATES = { ok: ["En orden", "ok"], falta: ["Falta", "bad"], distinto: ["Distinto", "warn"], pendiente_reinicio: ["Espera un reinicio", "warn"] };

const HEAD = { title: "Preparación del ERP", crumbs: [["#/devoluciones", "Planificaciones"]] };

export function PreparationPage() {
  if (useStore(returnsSession).user?.superusuario !== false) return html`<${Preparation} />`;
  return html`<${PageHead} ...${HEAD} />
    <${Note} title="Solo un superusuario del ERP puede preparar esto.">
      <p>Si a las planificaciones les falta algo en el ERP, pida a un superusuario que entre aquí con su cuenta.</p>
    <//>`;
}

function Preparation() {
  const status = useLoaded(readMetadata, []);
  const [done, setDone] = useState(null);
  const [problem, setProblem] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const rebuild = async () => {
    setBusy(true);
    setProblem(null);
    try {
      setDone(await rebuildMetadata(false));
      say("Preparación terminada.");
      status.load();
    } catch (error) {
      setProblem(asProblem(error));
    }
    setBusy(false);
  };
  return html`<${PageHead} ...${HEAD}
      about="Tablas, campos, el objeto y las consultas que las planificaciones necesitan en el ERP.">
      <button type="button" class=${status.data?.completo === false ? "main" : ""} disabled=${isBusy} onClick=${rebuild}>${isBusy && html`<span class="busy"></span>`}Crear lo que falta</button>
    <//>
    ${isBusy && html`<${Note}>Puede tardar varios minutos. Nada se borra ni se acorta.<//>`}
    <${ProblemNote} problem=${problem} />
    ${done && html`<${Note} kind=${done.errores.length ? "bad" : "ok"} live>
      ${plural(done.creados.length, "definición creada", "definiciones creadas")}, ${plural(done.actualizados.length, "cambiada", "cambiadas")}, ${plural(done.sinCambios, "ya estaba", "ya estaban")}.
      ${done.pendienteReinicio.length > 0 && html`<p>${done.mensaje}</p>`}
      ${done.errores.length > 0 && html`<ul>${done.errores.map((each) => html`<li>${each.nombre}: ${each.mensaje}</li>`)}</ul>`}
    <//>`}
    <${Loaded} from=${status}>${(found) => html`<${Status} found=${found} />`}<//>`;
}

function Status({ found }) {
  const rows = [
    ...found.tablas.map((each) => ({ kind: "Tabla", name: each.nombre, ...each })),
    { kind: "Objeto", name: found.objeto.codigo, ...found.objeto },
    ...found.consultas.map((each) => ({ kind: "Consulta", name: each.nombre, detalle: `versión ${each.versionInstalada ?? "ninguna"} de ${each.version}`, ...each })),
    ...found.campos.map((each) => ({ kind: "Campo", name: `${each.tabla}.${each.nombre}`, ...each })),
  ];
  const columns = [
    { key: "kind", title: "Qué", cell: (row) => row.kind },
    { key: "name", title: "Nombre", head: true, cell: (row) => html`<span class="mono">${row.name}</span>` },
    { key: "estado", title: "Estado", cell: (row) => html`<${State} of=${row.estado} words=${STATES} />` },
    { key: "detalle", title: "Detalle", cell: (row) => row.detalle },
  ];
  return html`<${Note} kind=${found.completo ? "ok" : "warn"}>${found.completo ? "El ERP está preparado." : "Al ERP le falta algo de lo que sigue."}<//>
    <section class="panel flush"><${Table} caption="Definiciones" columns=${columns} rows=${rows} rowKey=${(row) => `${row.kind} ${row.name}`} /></section>`;
}

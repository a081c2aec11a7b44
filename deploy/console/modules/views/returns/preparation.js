/** Whether the ERP has what plannings are kept in, and making it. */
import { State } from "../../components/badge.js";
import { Note } from "../../components/note.js";
import { ProblemNote } from "../../components/problem-note.js";
import { say } from "../../components/toasts.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Table } from "../../components/table/table.js";
import { asProblem } from "../../api/problem.js";
import { readMetadata, rebuildMetadata } from "../../api/returns.js";
import { plural } from "../../formats.js";
import { html, useState } from "../../html.js";
import { returnsSession } from "../../session/returns-session.js";
import { useStore } from "../../store.js";
import { t } from "../../texts.js";

const STATES = { ok: [t`En orden`, "ok"], falta: [t`Falta`, "bad"], distinto: [t`Distinto`, "warn"], pendiente_reinicio: [t`Espera un reinicio`, "warn"] };

const HEAD = { title: t`Preparación del ERP`, crumbs: [["#/devoluciones", t`Planificaciones`]] };

export function PreparationPage() {
  if (useStore(returnsSession).user?.superusuario !== false) return html`<${Preparation} />`;
  return html`<${PageHead} ...${HEAD} />
    <${Note} title=${t`Solo un superusuario del ERP puede preparar esto.`}>
      <p>${t`Si a las planificaciones les falta algo en el ERP, pida a un superusuario que entre aquí con su cuenta.`}</p>
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
      say(t`Preparación terminada.`);
      status.load();
    } catch (error) {
      setProblem(asProblem(error));
    }
    setBusy(false);
  };
  return html`<${PageHead} ...${HEAD}
      about=${t`Tablas, campos, el objeto y las consultas que las planificaciones necesitan en el ERP.`}>
      <button type="button" class=${status.data?.completo === false ? "main" : ""} disabled=${isBusy} onClick=${rebuild}>${isBusy && html`<span class="busy"></span>`}${t`Crear lo que falta`}</button>
    <//>
    ${isBusy && html`<${Note}>${t`Puede tardar varios minutos. Nada se borra ni se acorta.`}<//>`}
    <${ProblemNote} problem=${problem} />
    ${done && html`<${Note} kind=${done.errores.length ? "bad" : "ok"} live>
      ${plural(done.creados.length, t`definición creada`, t`definiciones creadas`)}, ${plural(done.actualizados.length, t`cambiada`, t`cambiadas`)}, ${plural(done.sinCambios, t`ya estaba`, t`ya estaban`)}.
      ${done.pendienteReinicio.length > 0 && html`<p>${done.mensaje}</p>`}
      ${done.errores.length > 0 && html`<ul>${done.errores.map((each) => html`<li>${each.nombre}: ${each.mensaje}</li>`)}</ul>`}
    <//>`}
    <${Loaded} from=${status} what=${t`Revisando qué hay en el ERP…`}>${(found) => html`<${Status} found=${found} />`}<//>`;
}

function Status({ found }) {
  const rows = [
    ...found.tablas.map((each) => ({ kind: t`Tabla`, name: each.nombre, ...each })),
    { kind: t`Objeto`, name: found.objeto.codigo, ...found.objeto },
    ...found.consultas.map((each) => ({ kind: t`Consulta`, name: each.nombre, detalle: t`versión ${each.versionInstalada ?? t`ninguna`} de ${each.version}`, ...each })),
    ...found.campos.map((each) => ({ kind: t`Campo`, name: `${each.tabla}.${each.nombre}`, ...each })),
  ];
  const columns = [
    { key: "kind", title: t`Qué`, cell: (row) => row.kind },
    { key: "name", title: t`Nombre`, head: true, cell: (row) => html`<span class="mono">${row.name}</span>` },
    { key: "estado", title: t`Estado`, cell: (row) => html`<${State} of=${row.estado} words=${STATES} />` },
    { key: "detalle", title: t`Detalle`, cell: (row) => row.detalle },
  ];
  return html`<${Note} kind=${found.completo ? "ok" : "warn"}>${found.completo ? t`El ERP está preparado.` : t`Al ERP le falta algo de lo que sigue.`}<//>
    <section class="panel flush"><${Table} caption=${t`Definiciones`} columns=${columns} rows=${rows} rowKey=${(row) => `${row.kind} ${row.name}`} /></section>`;
}

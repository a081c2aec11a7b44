/** Today's work with returns: one's own open plannings and what each waits for. They lie in the ERP, which is asked once one looks. */
import { State } from "../../components/badge.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { hrefTo } from "../../addresses.js";
import { listPlannings, readPlanning } from "../../api/returns.js";
import { moment, plural } from "../../formats.js";
import { html, useState } from "../../html.js";
import { keepLayout, readLayout } from "../../preferences.js";
import { t } from "../../texts.js";
import { DOCUMENT_STATES, PLANNING_STATES, meaningOf, planningStateOf } from "../returns/words.js";

const NEWEST = 100; // of everybody's open ones, as many as one page of the service has
const LAYOUT = "inicio";
const HELD_UP = ["con_errores", "en_proceso"];

const WAITS_FOR = {
  planificada: t`Espera que la ejecute.`,
  en_proceso: t`Se está ejecutando.`,
  con_errores: t`Espera que la reprocese.`,
  ejecutada_en_parte: t`Espera que ejecute el resto.`,
  ilegible: t`Otro programa la cambió: espera a quien administra el ERP.`,
};

/** What is read only once it is opened. */
function WhenOpened({ title, isOpen: isOpenAtFirst = false, onToggle, children }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const toggle = (event) => {
    if (event.currentTarget.open === isOpen) return;
    setOpen(event.currentTarget.open);
    onToggle?.(event.currentTarget.open);
  };
  return html`<details open=${isOpen} onToggle=${toggle}><summary>${title}</summary>${isOpen && children()}</details>`;
}

/** @param {{person: string, isOnly: boolean}} props `isOnly`: there is nothing else on the page, so that it is open from the start */
export function Plannings({ person, isOnly }) {
  return html`<section class="panel"><${WhenOpened} title=${t`Sus planificaciones por hacer`} isOpen=${isOnly || readLayout(LAYOUT).plannings === true}
    onToggle=${(plannings) => keepLayout(LAYOUT, { plannings })}>${() => html`<${Own} person=${person} />`}<//></section>`;
}

function Own({ person }) {
  const found = useLoaded(async () => {
    const { datos, total } = await listPlannings({ status: "O", excepto: "ejecutada", tamano: NEWEST });
    return { own: datos.filter(({ usuario }) => usuario.toLowerCase() === person.toLowerCase()), areAll: total <= NEWEST };
  }, [person]);
  return html`<${Loaded} from=${found} low>${({ own, areAll }) => html`
    ${own.length ? html`<ul class="stack">${own.map((each) => html`<${Planning} key=${each.id} planning=${each} />`)}</ul>` : html`<p class="muted">${t`Ninguna. Pegue una planilla en`} <a href="#/devoluciones/nueva">${t`Nueva devolución`}</a>.</p>`}
    ${!areAll && html`<p class="small muted">${t`Se miraron las ${NEWEST} más nuevas de todos.`} <a href="#/devoluciones">${t`Ver todas`}</a></p>`}`}<//>`;
}

function Planning({ planning }) {
  const { id, numero, whsCode, creada, creados, totalDocumentos } = planning;
  const estado = planningStateOf(planning);
  return html`<li class="stack tight">
    <p><a href=${hrefTo(["devoluciones", id])}>${t`Planificación ${numero}`}</a> <${State} of=${estado} words=${PLANNING_STATES} /> ${WAITS_FOR[estado]}
      <span class="note">${t`Bodega ${whsCode}, ${moment(creada)}; ${creados} de ${plural(totalDocumentos, t`documento creado`, t`documentos creados`)}`}</span></p>
    ${HELD_UP.includes(estado) && html`<${WhenOpened} title=${t`Documentos con error o sin respuesta`}>${() => html`<${Troubled} id=${id} />`}<//>`}
  </li>`;
}

function Troubled({ id }) {
  const found = useLoaded(async () => (await readPlanning(id)).documentos.filter((document) => meaningOf(document).isTroubled), [id]);
  return html`<${Loaded} from=${found} low>${(documents) => documents.length
    ? html`<ul class="stack tight">${documents.map((each) => html`<li key=${each.docId}>${each.proveedor} <${State} of=${each.estado} words=${DOCUMENT_STATES} />${each.mensaje && html`<span class="note">${each.mensaje}</span>`}</li>`)}</ul>`
    : html`<p class="muted">${t`Ninguno: puede ejecutar el resto en`} <a href=${hrefTo(["devoluciones", id])}>${t`la planificación`}</a>.</p>`}<//>`;
}

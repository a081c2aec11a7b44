/** All plannings, newest first. */
import { Loaded, useLoaded } from "../../components/loading.js";
import { SelectField, TextField } from "../../components/fields.js";
import { Form } from "../../components/form.js";
import { PageHead } from "../../components/page.js";
import { Pager } from "../../components/table/pager.js";
import { Table } from "../../components/table/table.js";
import { listPlannings, readCatalogues } from "../../api/returns.js";
import { day, moment, number } from "../../formats.js";
import { html } from "../../html.js";
import { hrefTo } from "../../addresses.js";
import { goTo } from "../../router.js";
import { t } from "../../texts.js";
import { PlanningState } from "./states.js";
import { planningStateOf } from "./words.js";

/** What the choice of a state asks the service for. An executed planning waits for nothing but to be closed. */
const CHOICES = {
  O: { label: t`Por hacer`, asks: { status: "O", excepto: "ejecutada" } },
  ejecutada: { label: t`Ejecutadas, sin cerrar`, asks: { status: "O", estado: "ejecutada" } },
  C: { label: t`Cerradas`, asks: { status: "C" } },
  todas: { label: t`Todas`, asks: {} },
};

const COLUMNS = [
  { key: "numero", title: "N.º", head: true, cell: (row) => html`<a href=${hrefTo(["devoluciones", row.id])}>${row.numero}</a>` },
  { key: "estado", title: t`Estado`, cell: (row) => html`<${PlanningState} state=${planningStateOf(row)} />` },
  { key: "whsCode", title: t`Bodega`, cell: (row) => row.whsCode },
  { key: "fecha", title: t`Fecha`, cell: (row) => day(row.fecha) },
  { key: "usuario", title: t`Quién`, cell: (row) => row.usuario },
  { key: "creada", title: t`Creada`, cell: (row) => moment(row.creada) },
  { key: "totalLineas", title: t`Líneas`, number: true, cell: (row) => number(row.totalLineas) },
  { key: "totalDocumentos", title: t`Documentos`, number: true, cell: (row) => number(row.totalDocumentos) },
  { key: "creados", title: t`Creados`, number: true, cell: (row) => number(row.creados) },
  { key: "errores", title: t`Con error`, number: true, cell: (row) => row.errores > 0 && number(row.errores) },
];

export function PlanningListPage({ query }) {
  const state = Object.hasOwn(CHOICES, query.get("estado") ?? "") ? query.get("estado") : "O";
  const asked = {
    ...CHOICES[state].asks,
    whsCode: query.get("bodega") ?? "",
    desde: query.get("desde") ?? "",
    pagina: Number(query.get("pagina") ?? 1),
    tamano: 20,
  };
  const list = useLoaded(() => listPlannings(asked), [query.toString()]);
  const catalogues = useLoaded(readCatalogues, []);
  const move = (changed) => {
    const now = { estado: state, bodega: asked.whsCode, desde: asked.desde, ...changed };
    goTo(hrefTo(["devoluciones"], now), { replace: true });
  };
  const warehouses = (catalogues.data?.almacenes ?? []).map(({ whsCode, nombre }) => ({ value: whsCode, label: `${whsCode} · ${nombre}` }));
  return html`<${PageHead} title=${t`Planificaciones de devolución`}>
      <a class="button main" href="#/devoluciones/nueva">${t`Nueva devolución`}</a>
    <//>
    <section class="panel flush">
      <header>
        <${Form} submitsOnEnter class="row" onSubmit=${() => list.load()}>
          <${SelectField} label=${t`Estado`} value=${state} onInput=${(estado) => move({ estado })}
            options=${Object.entries(CHOICES).map(([value, { label }]) => ({ value, label }))} />
          <${SelectField} label=${t`Bodega`} value=${asked.whsCode} onInput=${(bodega) => move({ bodega })} options=${warehouses} empty=${t`Todas`} />
          <${TextField} label=${t`Desde`} type="date" value=${asked.desde} onInput=${(desde) => move({ desde })} />
        <//>
      </header>
      <${Loaded} from=${list}>
        ${(found) => html`<${Table} caption=${t`Planificaciones`} columns=${COLUMNS} rows=${found.datos} rowKey=${(row) => row.id}
            empty=${html`${t`Ninguna así. Quite alguna condición, o pegue una planilla en`} <a href="#/devoluciones/nueva">${t`Nueva devolución`}</a>.`} />
          <${Pager} page=${found.pagina} pages=${found.paginas} total=${found.total} what=${t`planificaciones`} one=${t`planificación`} onPage=${(pagina) => move({ pagina })} />`}
      <//>
    </section>`;
}

/** Who did what; and the history of one record. */
import { State } from "../../components/badge.js";
import { Waiting } from "../../components/feedback.js";
import { SelectField, TextField } from "../../components/fields.js";
import { Form } from "../../components/form.js";
import { ValueHelp, holding } from "../../components/value-help.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Pager, Table } from "../../components/table.js";
import { readAudit, readHistory } from "../../api/gateway.js";
import { readDescription } from "../../api/records.js";
import { exactMoment } from "../../formats.js";
import { html, useEffect, useState } from "../../html.js";
import { hrefTo } from "../../addresses.js";
import { goTo } from "../../router.js";
import { t } from "../../texts.js";
import { RecordName, readNameOf, readNames } from "../erp/names.js";
import { ACTIONS, OWN_THINGS, RESULTS, actorOf, fieldInWords } from "./audit-words.js";

const PAGE = 50;
const NAMES = ["usuario", "accion", "recurso", "clave", "resultado", "desde", "hasta"];
const listOf = (words) => Object.entries(words).map(([value, label]) => ({ value, label: Array.isArray(label) ? label[0] : label }));

const columnsFor = (names, descriptionOf) => [
  { key: "at", title: t`Cuándo`, head: true, text: (row) => exactMoment(row.at), cell: (row) => html`<span class="nowrap">${exactMoment(row.at)}</span>` },
  { key: "webUser", title: t`Quién`, cell: (row) => row.webUser && html`${actorOf(row.webUser)}${row.ip && html`<span class="note">${row.ip}</span>`}` },
  { key: "action", title: t`Qué`, cell: (row) => ACTIONS[row.action] ?? row.action },
  { key: "resource", title: t`En qué`, cell: (row) => row.resource && (OWN_THINGS[row.resource]
    ? `${OWN_THINGS[row.resource]} ${row.key}`
    : html`<${RecordName} names=${names} resource=${row.resource} recordKey=${row.key} isLink=${row.action.startsWith("sl_")} />`) },
  { key: "result", title: t`Resultado`, cell: (row) => html`<${State} of=${row.result} words=${RESULTS} />${row.reason && html`<span class="note mono">${row.reason}</span>`}` },
  { key: "fields", title: t`Campos`, cell: (row) => row.fields.length > 0 && html`<${Fields} names=${row.fields} described=${descriptionOf(row.resource)} />` },
  { key: "requestId", title: t`Petición`, cell: (row) => row.requestId && html`<span class="small mono anywhere">${row.requestId}</span>` },
];

const historyColumns = (described) => columnsFor(new Map(), () => described).filter(({ key }) => !["resource", "requestId"].includes(key));

/** The descriptions of the resources in some rows, by name: those that this person may use. */
async function descriptionsFor(rows, names) {
  const asked = [...new Set(rows.filter(({ fields }) => fields.length > 0).map(({ resource }) => resource))].filter((name) => names.has(name));
  return new Map(await Promise.all(asked.map(async (name) => /** @type {[string, any]} */ ([name, await readDescription(name)]))));
}

/** What was written, in the words that the record's page has for it, and as the ERP calls it. */
function Fields({ names, described }) {
  const words = names.map((name) => fieldInWords(name, described));
  const known = words.filter((word, at) => word !== null && word !== names[at]);
  return html`${known.length > 0 && html`<span class="small">${known.join(", ")}</span>`}<span class=${`small mono ${known.length > 0 ? "note" : ""}`}>${names.join(", ")}</span>`;
}

function Records({ found, onPage, columns, empty }) {
  return html`<${Table} caption=${t`Registros de auditoría`} layout="auditoría" isChoosable columns=${columns} rows=${found.items} rowKey=${(row) => row.id ?? found.items.indexOf(row)} empty=${empty} />
    <${Pager} page=${found.page} pages=${Math.ceil(found.total / found.pageSize)} total=${found.total} onPage=${onPage} />`;
}

export function AuditPage({ query }) {
  const asked = Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ""]));
  const page = Number(query.get("pagina") ?? 1);
  const [draft, setDraft] = useState(asked);
  useEffect(() => setDraft(asked), NAMES.map((name) => asked[name]));
  const found = useLoaded(async () => {
    const [listed, names] = await Promise.all([readAudit({ ...asked, page, pageSize: PAGE }), readNames()]);
    const descriptions = await descriptionsFor(listed.items, names);
    return { ...listed, names, columns: columnsFor(names, (name) => descriptions.get(name)) };
  }, [query.toString()]);
  const move = (next, pagina) => goTo(hrefTo(["auditoria"], { ...next, pagina: pagina > 1 ? pagina : "" }), { replace: true });
  const set = (name) => (value) => setDraft((now) => ({ ...now, [name]: value }));
  const apply = () => move(draft, 1);
  const fault = (name) => found.problem?.of(name);
  return html`<${PageHead} title=${t`Auditoría`} about=${t`Quién hizo qué, lo más nuevo primero. Nunca contiene valores.`} />
    <section class="panel flush">
      <header><${Form} submitsOnEnter class="row" onSubmit=${apply} label=${t`Condiciones`}>
        <${TextField} label=${t`Usuario`} value=${draft.usuario} onInput=${set("usuario")} fault=${fault("usuario")} />
        <${SelectField} label=${t`Acción`} value=${draft.accion} onInput=${set("accion")} options=${listOf(ACTIONS)} empty=${t`Todas`} />
        <${ValueHelp} label=${t`Recurso`} value=${draft.recurso} onInput=${set("recurso")} fault=${fault("recurso")} inputProps=${{ spellcheck: false }}
          options=${holding([...(found.data?.names ?? [])].filter(([name]) => name !== draft.recurso).map(([name, { one }]) => ({ value: name, label: one })), draft.recurso ?? "")} />
        <${TextField} label=${t`Clave`} value=${draft.clave} onInput=${set("clave")} fault=${fault("clave")} />
        <${SelectField} label=${t`Resultado`} value=${draft.resultado} onInput=${set("resultado")} options=${listOf(RESULTS)} empty=${t`Todos`} />
        <${TextField} label=${t`Desde`} type="date" value=${draft.desde} onInput=${set("desde")} fault=${fault("desde")} />
        <${TextField} label=${t`Hasta`} type="date" value=${draft.hasta} onInput=${set("hasta")} fault=${fault("hasta")} />
        <button type="submit">${t`Filtrar`}</button>
      <//></header>
      <${Loaded} from=${found}>${(data) => html`<${Records} found=${data} columns=${data.columns} empty=${t`Nada así está registrado. Quite alguna condición.`} onPage=${(pagina) => move(asked, pagina)} />`}<//>
    </section>`;
}

export function HistoryPage({ params, query }) {
  const { resource, key } = params;
  const page = Number(query.get("pagina") ?? 1);
  const found = useLoaded(async () => {
    const [history, described] = await Promise.all([readHistory(resource, key, { page, pageSize: PAGE }), readDescription(resource)]);
    return { ...history, columns: historyColumns(described) };
  }, [resource, key, page]);
  const known = useLoaded(() => readNameOf(resource, key), [resource, key]);
  if (known.data === undefined && !known.problem) return html`<${Waiting} />`; // a title that grows later would move the page
  const { title, one, shown } = known.data ?? { title: null, one: t`Registro`, shown: key };
  const crumbs = [["#/erp", t`Registros`], title && [hrefTo(["erp", resource]), title], [hrefTo(["erp", resource, key]), `${one} ${shown}`]].filter(Boolean);
  return html`<${PageHead} title=${t`Historia: ${one} ${shown}`} crumbs=${crumbs}
      about=${t`Lo que se hizo con este registro desde aquí, lo más nuevo primero: quién, cuándo y en qué campos. Los valores no se guardan.`} />
    <section class="panel flush">
      <${Loaded} from=${found}>${(data) => html`<${Records} found=${data} columns=${data.columns} empty=${t`Nada se hizo con él desde aquí. Lo que se hace en el propio ERP se ve allá.`} onPage=${(pagina) => goTo(hrefTo(["historia", resource, key], { pagina }), { replace: true })} />`}<//>
    </section>`;
}

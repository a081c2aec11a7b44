/** Audit records as a table. */
import { readDescription } from "../../api/records.js";
import { State } from "../../components/badge.js";
import { Pager } from "../../components/table/pager.js";
import { Table } from "../../components/table/table.js";
import { exactMoment } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { RecordName } from "../erp/names.js";
import { ACTIONS, actorOf, fieldInWords, OWN_THINGS, RESULTS } from "./audit-words.js";
import { placeInSet } from "./write-words.js";

export const listOf = (words) => Object.entries(words).map(([value, label]) => ({ value, label: Array.isArray(label) ? label[0] : label }));

/** The place in a change set, of a record of the audit or of a history. */
const setOf = (row) => placeInSet(row.detail ?? row);

export const columnsFor = (names, descriptionOf) => [
  { key: "at", title: t`Cuándo`, head: true, text: (row) => exactMoment(row.at), cell: (row) => html`<span class="nowrap">${exactMoment(row.at)}</span>` },
  { key: "webUser", title: t`Quién`, cell: (row) => row.webUser && html`${actorOf(row.webUser)}${row.ip && html`<span class="note">${row.ip}</span>`}` },
  { key: "action", title: t`Qué`, cell: (row) => html`${ACTIONS[row.action] ?? row.action}${setOf(row) && html`<span class="note">${setOf(row)}</span>`}` },
  { key: "resource", title: t`En qué`, cell: (row) => row.resource && (OWN_THINGS[row.resource]
    ? `${OWN_THINGS[row.resource]} ${row.key}`
    : html`<${RecordName} names=${names} resource=${row.resource} recordKey=${row.key} isLink=${row.action.startsWith("sl_")} />`) },
  { key: "result", title: t`Resultado`, cell: (row) => html`<${State} of=${row.result} words=${RESULTS} />${row.reason && html`<span class="note mono">${row.reason}</span>`}` },
  { key: "fields", title: t`Campos`, cell: (row) => row.fields.length > 0 && html`<${Fields} names=${row.fields} described=${descriptionOf(row.resource)} />` },
  { key: "requestId", title: t`Petición`, cell: (row) => row.requestId && html`<span class="small mono anywhere">${row.requestId}</span>` },
];

export const historyColumns = (described) => columnsFor(new Map(), () => described).filter(({ key }) => !["resource", "requestId"].includes(key));

/** The descriptions of the resources in some rows, by name: those that this person may use. */
export async function descriptionsFor(rows, names) {
  const asked = [...new Set(rows.filter(({ fields }) => fields.length > 0).map(({ resource }) => resource))].filter((name) => names.has(name));
  return new Map(await Promise.all(asked.map(async (name) => /** @type {[string, any]} */ ([name, await readDescription(name)]))));
}

/** What was written, in the words that the record's page has for it, and as the ERP calls it. */
function Fields({ names, described }) {
  const words = names.map((name) => fieldInWords(name, described));
  const known = words.filter((word, at) => word !== null && word !== names[at]);
  return html`${known.length > 0 && html`<span class="small">${known.join(", ")}</span>`}<span class=${`small mono ${known.length > 0 ? "note" : ""}`}>${names.join(", ")}</span>`;
}

export function Records({ found, onPage, columns, empty }) {
  return html`<${Table} caption=${t`Registros de auditoría`} layout="auditoría" isChoosable columns=${columns} rows=${found.items} rowKey=${(row) => row.id ?? found.items.indexOf(row)} empty=${empty} />
    <${Pager} page=${found.page} pages=${Math.ceil(found.total / found.pageSize)} total=${found.total} onPage=${onPage} />`;
}

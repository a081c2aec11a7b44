/** A write of which nobody knows what became: the fields that were sent, beside what the ERP has in them now. */
import { Details, ProblemNote } from "../../components/problem-note.js";
import { Note } from "../../components/note.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { Table } from "../../components/table/table.js";
import { hrefTo } from "../../addresses.js";
import { asProblem } from "../../api/problem.js";
import { readDescription, readOffer, readRecord } from "../../api/records.js";
import { exactMoment, plural } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { oneOf } from "../erp/names.js";
import { ACTIONS } from "../erp/record-actions.js";
import { isScalar } from "../erp/line-columns.js";
import { write as written } from "../erp/write-value.js";
import { fieldInWords } from "./audit-words.js";

const WISHES = { create: t`crear`, update: t`cambiar` };
const ACTED = /^(.+)\(\)$/; // the ledger names an action before the fields that went with it
const WISHED = { ...ACTIONS, Attachments2: t`agregar archivos a` };
const STATE = ["DocumentStatus", "Cancelled"]; // what an action changes, and does not send
const MOST_LINES = 20; // of a collection, in one cell

const actionOf = ({ fields }) => fields.map((path) => ACTED.exec(path)?.[1]).find(Boolean);

function wishOf(write) {
  const action = actionOf(write);
  return action ? WISHED[action]?.toLowerCase() ?? t`hacer «${action}» en` : WISHES[write.kind] ?? t`hacer una acción en`;
}

/** The resource as this person may use it, and the record as it is now, or why it can't be read; neither where they may not read it. */
async function readNow({ resource, key }) {
  const known = (await readOffer()).items.find((each) => each.name === resource) ?? null;
  const mayRead = key && known?.methods.includes("GET");
  const [described, read] = await Promise.all([known && readDescription(resource), mayRead && readRecord(resource, key).catch((error) => ({ record: null, problem: asProblem(error) }))]);
  return { known, described, record: null, problem: null, ...read };
}

export function SentAndFound({ write }) {
  const found = useLoaded(() => readNow(write), [write.id]);
  return html`<${Loaded} from=${found} low what=${t`Comparando con lo que el ERP tiene…`}>${({ known, described, record, problem }) => html`
    <${Note} kind="warn">
      <p>${t`El ${exactMoment(write.at)} ${write.webUser} quiso ${wishOf(write)}`} <strong>${nameOf(write, known, record)}</strong>${t`, y el ERP no contestó.
        ${write.key ? t`Compare con lo que tiene ahora.` : t`Busque allí si existe.`}`}</p>
      <p>${linkTo(write, known)}</p>
    <//>
    <${ProblemNote} problem=${problem} onRetry=${found.load} />
    <${Fields} write=${write} described=${described} record=${record} />
    ${record && actionOf(write) && html`<${State} described=${described} record=${record} />`}
    ${write.fieldsOmitted > 0 && html`<p class="small muted">y ${plural(write.fieldsOmitted, t`campo más`, t`campos más`)}</p>`}
    <${Details}>${[write.id, write.resource, write.key, write.reason, write.requestId].filter(Boolean).join(" · ")}<//>`}<//>`;
}

function nameOf(write, known, record) {
  const one = known ? oneOf(known) : write.resource;
  return write.key ? `${one} ${record?.[known.columns[0]?.name] ?? write.key}` : one;
}

function linkTo({ resource, key }, known) {
  if (!known?.methods.includes("GET")) return t`Sus permisos no alcanzan a verlo.`;
  const [href, text] = key ? [hrefTo(["erp", resource, key]), t`Abrir el registro`] : [hrefTo(["erp", resource]), t`Ver ${known.title ?? resource}`];
  return html`<a href=${href} target="_blank" rel="noopener">${t`${text} en otra pestaña`}</a>`;
}

function Fields({ write, described, record }) {
  const rows = write.fields.filter((path) => !ACTED.test(path)).map((path) => ({ path, words: fieldInWords(path, described) })).filter(({ words }) => words !== null);
  if (!rows.length) return null;
  const columns = [
    { key: "sent", title: t`Se envió`, head: true, cell: ({ words }) => words },
    record && { key: "now", title: t`El ERP tiene ahora`, cell: ({ path }) => valueAt(path, record, described) || html`<span class="muted">${t`nada`}</span>` },
  ].filter(Boolean);
  return html`<${Table} caption=${t`Campos enviados`} columns=${columns} rows=${rows} rowKey=${({ path }) => path} />`;
}

/** What tells whether an action was done. */
function State({ described, record }) {
  const columns = [
    { key: "field", title: t`Campo`, head: true, cell: (path) => described.titleOf(path) },
    { key: "now", title: t`El ERP tiene ahora`, cell: (path) => valueAt(path, record, described) },
  ];
  const rows = STATE.filter((path) => isScalar(record[path]));
  return rows.length > 0 && html`<${Table} caption=${t`Estado`} columns=${columns} rows=${rows} rowKey=${(path) => path} />`;
}

/** What a record has at a path such as `DocumentLines[].ItemCode`, in words: of each line. */
function valueAt(path, record, described) {
  const [name, field] = path.split("[].");
  const value = record[name];
  if (field === undefined) return isScalar(value) ? written(value, described.fieldOf(name, value)) : "";
  const lines = (Array.isArray(value) ? value : []).filter((line) => isScalar(line[field])).map((line) => written(line[field], described.of(name).fieldOf(field, line[field])));
  return `${lines.slice(0, MOST_LINES).join("; ")}${lines.length > MOST_LINES ? t`; …` : ""}`;
}

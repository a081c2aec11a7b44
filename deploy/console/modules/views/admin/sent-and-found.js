/** A write of which nobody knows what became: the fields that were sent, beside what the ERP has in them now. */
import { Details, Note } from "../../components/feedback.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { Table } from "../../components/table.js";
import { hrefTo } from "../../addresses.js";
import { readDescription, readOffer, readRecord } from "../../api/records.js";
import { exactMoment, plural } from "../../formats.js";
import { html } from "../../html.js";
import { oneOf } from "../erp/names.js";
import { isScalar, write as written } from "../erp/values.js";
import { fieldInWords } from "./audit-words.js";

const WISHES = { create: "crear", update: "cambiar", action: "hacer una acción en" };
const MOST_LINES = 20; // of a collection, in one cell

/** The resource as this person may use it, and the record as it is now; neither where they may not read it. */
async function readNow({ resource, key }) {
  const known = (await readOffer()).items.find((each) => each.name === resource) ?? null;
  const mayRead = key && known?.methods.includes("GET");
  const [described, read] = await Promise.all([known && readDescription(resource), mayRead && readRecord(resource, key)]);
  return { known, described, record: read ? read.record : null };
}

export function SentAndFound({ write }) {
  const found = useLoaded(() => readNow(write), [write.id]);
  return html`<${Loaded} from=${found} low>${({ known, described, record }) => html`
    <${Note} kind="warn">
      <p>El ${exactMoment(write.at)} ${write.webUser} quiso ${WISHES[write.kind] ?? write.kind} <strong>${nameOf(write, known, record)}</strong>, y el ERP no contestó.
        ${write.key ? "Compare con lo que tiene ahora." : "Busque allí si existe."}</p>
      <p>${linkTo(write, known)}</p>
    <//>
    ${write.fields.length > 0 && html`<${Fields} write=${write} described=${described} record=${record} />`}
    ${write.fieldsOmitted > 0 && html`<p class="small muted">y ${plural(write.fieldsOmitted, "campo más", "campos más")}</p>`}
    <${Details}>${[write.id, write.resource, write.key, write.reason, write.requestId].filter(Boolean).join(" · ")}<//>`}<//>`;
}

function nameOf(write, known, record) {
  const one = known ? oneOf(known) : write.resource;
  return write.key ? `${one} ${record?.[known.columns[0]?.name] ?? write.key}` : one;
}

function linkTo({ resource, key }, known) {
  if (!known?.methods.includes("GET")) return "Sus permisos no alcanzan a verlo.";
  const [href, text] = key ? [hrefTo(["erp", resource, key]), "Abrir el registro"] : [hrefTo(["erp", resource]), `Ver ${known.title ?? resource}`];
  return html`<a href=${href} target="_blank" rel="noopener">${text} en otra pestaña</a>`;
}

function Fields({ write, described, record }) {
  const rows = write.fields.map((path) => ({ path, words: fieldInWords(path, described) })).filter(({ words }) => words !== null);
  const columns = [
    { key: "sent", title: "Se envió", head: true, cell: ({ words }) => words },
    record && { key: "now", title: "El ERP tiene ahora", cell: ({ path }) => valueAt(path, record, described) || html`<span class="muted">nada</span>` },
  ].filter(Boolean);
  return html`<${Table} caption="Campos enviados" columns=${columns} rows=${rows} rowKey=${({ path }) => path} />`;
}

/** What a record has at a path such as `DocumentLines[].ItemCode`, in words: of each line. */
function valueAt(path, record, described) {
  const [name, field] = path.split("[].");
  const value = record[name];
  if (field === undefined) return isScalar(value) ? written(value, described.fieldOf(name, value)) : "";
  const lines = (Array.isArray(value) ? value : []).filter((line) => isScalar(line[field])).map((line) => written(line[field], described.of(name).fieldOf(field, line[field])));
  return `${lines.slice(0, MOST_LINES).join("; ")}${lines.length > MOST_LINES ? "; …" : ""}`;
}

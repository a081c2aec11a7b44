/** One record: what it says, its lines, where it leads, and changing it. */
import { Note, ProblemNote, Waiting, say, Dialog } from "../../components/feedback.js";
import { useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Table } from "../../components/table.js";
import { asProblem } from "../../api/problem.js";
import { addedBy } from "../../api/descriptions.js";
import { actOnRecord, newIdempotencyKey, notOffered, readDescription, readOfferOf, readRecord } from "../../api/records.js";
import { html, useState } from "../../html.js";
import { hrefTo } from "../../addresses.js";
import { t } from "../../texts.js";
import { hasDraft } from "../../forms/form.js";
import { gateway } from "../../session/gateway-session.js";
import { Attachments } from "./attachments.js";
import { ChangeForm, changeName } from "./forms/change-form.js";
import { useCodeNames } from "./code-names.js";
import { ACTIONS } from "./names.js";
import { PrintDialog, readFormats } from "./print-dialog.js";
import { Flow, OpenWith } from "./flow.js";
import { Totals, totalsOf } from "./totals.js";
import { Value, columnsOfLines, headOf, isScalar, knownFirst } from "./values.js";

const LINES = "DocumentLines";

/** The record, and what can be done with it. */
async function readAll(name, key) {
  const offer = await readOfferOf(name);
  const resource = offer.items.find((each) => each.name === name);
  const [read, formats, described] = await Promise.all([readRecord(name, key), readFormats(resource?.screen), readDescription(name)]);
  if (!resource) throw notOffered(name);
  return { offer, formats, described, ...read };
}

export function RecordPage({ params }) {
  const { resource: name, key } = params;
  const loaded = useLoaded(() => readAll(name, key), [name, key]);
  const [mode, setMode] = useState(() => (hasDraft(gateway, changeName(name, key)) ? "change" : "read"));
  const [action, setAction] = useState(null);
  const [isPrinting, setPrinting] = useState(false);
  if (!loaded.data) {
    return html`<${PageHead} title=${t`Registro ${key}`} crumbs=${[["#/erp", t`Registros`]]} />${loaded.problem ? html`<${ProblemNote} problem=${loaded.problem} onRetry=${loaded.load} />` : html`<${Waiting} />`}`;
  }
  const { offer, formats, described, record, etag } = loaded.data;
  const resource = offer.items.find((each) => each.name === name);
  const { title, about } = headOf(resource, record, key);
  const mayDuplicate = resource.methods.includes("POST") && described.hasCollection(LINES);
  const crumbs = [["#/erp", t`Registros`], [hrefTo(["erp", name]), resource.title ?? name]];
  const done = (text) => {
    setMode("read");
    setAction(null);
    say(text);
    loaded.load();
  };
  return html`<${PageHead} title=${title} about=${about} crumbs=${crumbs} openedAt=${gateway}>
      ${mode === "read" && resource.methods.includes("PATCH") && html`<button type="button" class="main" onClick=${() => setMode("change")}>${t`Cambiar`}</button>`}
      ${mode === "read" && resource.actions.map((each) => html`<button type="button" onClick=${() => setAction(each)}>${ACTIONS[each] ?? each}</button>`)}
      ${mode === "read" && (formats.items.length > 0 || formats.problem) && html`<button type="button" onClick=${() => setPrinting(true)}>${t`Imprimir`}</button>`}
      ${mode === "read" && mayDuplicate && html`<a class="button" href=${hrefTo(["crear", name], { de: key })}>${t`Duplicar`}</a>`}
      <a class="button" href=${hrefTo(["historia", name, key])}>${t`Historia`}</a>
    <//>
    <${ProblemNote} problem=${loaded.problem} onRetry=${loaded.load} />
    ${mode === "change"
      ? html`<${ChangeForm} key=${key} resource=${resource} described=${described} recordKey=${key} record=${record} etag=${etag} onDone=${() => done(t`${title}: cambio guardado.`)} onCancel=${() => setMode("read")} onReload=${() => { setMode("read"); loaded.load(); }} />`
      : html`<${Facts} resource=${resource} described=${described} record=${record} offer=${offer} />
        ${resource.attachments && html`<${Attachments} key=${key} resource=${resource} recordKey=${key} title=${title} />`}`}
    ${isPrinting && html`<${PrintDialog} title=${title} screen=${resource.screen} docEntry=${record[resource.key[0].name]} formats=${formats} onClose=${() => setPrinting(false)} />`}
    ${action && html`<${ActionDialog} title=${title} resource=${resource} recordKey=${key} etag=${etag} action=${action} onClose=${() => setAction(null)} onDone=${() => done(t`${title}: hecho.`)} />`}`;
}

function Facts({ resource, described, record, offer }) {
  const main = resource.columns.map((column) => column.name).filter((name) => name in record);
  const rest = Object.keys(record).filter((name) => !main.includes(name) && !name.includes("odata") && isScalar(record[name]) && record[name] !== null && record[name] !== "");
  const collections = Object.entries(record).filter(([, value]) => Array.isArray(value) && value.length > 0 && !isScalar(value[0]));
  const shown = collections.map(([name, lines]) => ({ rows: lines, fields: columnsOfLines(lines).map((field) => described.of(name).fieldOf(field)) }));
  const { nameOf, choice } = useCodeNames([{ rows: [record], fields: main.map((name) => described.fieldOf(name)) }, ...shown], offer);
  const pairs = (names) => html`<dl class="pairs columns">
    ${names.map((name) => html`<div key=${name}><dt>${described.titleOf(name)}</dt>
      <dd><${Value} value=${record[name]} row=${record} field=${described.fieldOf(name, record[name])} offer=${offer} nameOf=${nameOf} /></dd></div>`)}
  </dl>`;
  const totals = totalsOf(record);
  return html`${main.length > 0 && html`<section class="panel" aria-label=${t`Datos principales`}>${pairs(main)}${choice && html`<div class="actions">${choice}</div>`}</section>`}
    ${totals && html`<section class="panel" aria-label=${t`Totales`}><${Totals} totals=${totals} described=${described} /></section>`}
    <${Flow} record=${record} described=${described} offer=${offer} />
    ${"CardType" in record && html`<${OpenWith} record=${record} described=${described} offer=${offer} />`}
    ${collections.map(([name, lines]) => html`<${Lines} key=${name} title=${described.collectionTitle(name)} described=${described.of(name)} lines=${lines} record=${record} offer=${offer} nameOf=${nameOf} layout=${`${resource.name}.${name}`} />`)}
    <section class="panel"><details open=${main.length === 0}><summary>${t`Todos los datos (${rest.length})`}</summary>${pairs(knownFirst(rest.map((name) => ({ name, title: described.titleOf(name) }))).map(({ name }) => name))}</details></section>`;
}

function Lines({ title, described, lines, record, offer, nameOf, layout }) {
  const columns = columnsOfLines(lines).map((field, index) => ({
    key: field,
    title: described.titleOf(field),
    head: index === 0,
    number: index > 0 && lines.some((line) => typeof line[field] === "number"),
    value: (line) => line[field],
    adds: addedBy(described.fieldOf(field).measure, record),
    isMoney: described.fieldOf(field).measure?.kind === "amount",
    cell: (line) => html`<${Value} value=${field === "LineNum" ? line[field] + 1 : line[field]} field=${described.fieldOf(field, line[field])} row=${line} around=${record} offer=${offer} nameOf=${nameOf} />`,
  }));
  if (!columns.length) return null;
  return html`<section class="panel flush">
    <header><h2>${title}</h2><span class="small muted">${lines.length}</span></header>
    <${Table} caption=${title} layout=${layout} columns=${columns} rows=${lines} rowKey=${(line) => lines.indexOf(line)} />
  </section>`;
}

function ActionDialog({ title, resource, recordKey, etag, action, onClose, onDone }) {
  const [idempotencyKey] = useState(newIdempotencyKey);
  const [state, setState] = useState({ isBusy: false, problem: null });
  const act = async () => {
    setState({ isBusy: true, problem: null });
    try {
      await actOnRecord(resource.name, recordKey, action, { etag: resource.etag ? etag : null, idempotencyKey });
      onDone();
    } catch (error) {
      setState({ isBusy: false, problem: asProblem(error) });
    }
  };
  const word = ACTIONS[action] ?? action;
  return html`<${Dialog} title=${`${word}: ${title}`} onClose=${onClose} onSubmit=${act} foot=${html`
      <button type="button" onClick=${onClose}>${t`Cancelar`}</button>
      <button type="submit" class="danger main" disabled=${state.isBusy}>${state.isBusy && html`<span class="busy"></span>`}${word}</button>`}>
    <${Note} kind="warn">${t`Se hace en el ERP y puede que no tenga vuelta atrás.`}<//>
    <${ProblemNote} problem=${state.problem} />
  <//>`;
}

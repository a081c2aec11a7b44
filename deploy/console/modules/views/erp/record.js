/** One record: what it says, its lines, where it leads, and changing it. */
import { hrefTo } from "../../addresses.js";
import { notOffered, readDescription, readOfferOf, readRecord } from "../../api/records.js";
import { useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { ProblemNote } from "../../components/problem-note.js";
import { say } from "../../components/toasts.js";
import { Waiting } from "../../components/waiting.js";
import { hasDraft } from "../../forms/form.js";
import { html, useState } from "../../html.js";
import { gateway } from "../../session/gateway-session.js";
import { t } from "../../texts.js";
import { ActionDialog } from "./action-dialog.js";
import { Attachments } from "./attachments.js";
import { Facts } from "./facts.js";
import { ChangeForm } from "./forms/change-form.js";
import { changeName } from "./forms/change-state.js";
import { headOf } from "./heads.js";
import { ACTIONS } from "./names.js";
import { PrintDialog, readFormats } from "./print-dialog.js";

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

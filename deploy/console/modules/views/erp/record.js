/** One record: what it says, its lines, where it leads, and changing it. */
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
import { PrintDialog, readFormats } from "./print-dialog.js";
import { RecordHead } from "./record-head.js";

/** The record, and what can be done with it. */
async function readAll(name, key) {
  const offer = await readOfferOf(name);
  const resource = offer.items.find((each) => each.name === name);
  const [read, formats, described] = await Promise.all([readRecord(name, key), readFormats(resource?.screen), readDescription(name)]);
  if (!resource) throw notOffered(name);
  return { offer, resource, formats, described, ...read };
}

export function RecordPage({ params }) {
  const { resource: name, key } = params;
  const loaded = useLoaded(() => readAll(name, key), [name, key]);
  if (loaded.data) return html`<${Loaded} key=${`${name}/${key}`} recordKey=${key} loaded=${loaded} />`;
  return html`<${PageHead} title=${t`Registro ${key}`} crumbs=${[["#/erp", t`Registros`]]} />${loaded.problem ? html`<${ProblemNote} problem=${loaded.problem} onRetry=${loaded.load} />` : html`<${Waiting} />`}`;
}

function Loaded({ recordKey, loaded }) {
  const { offer, resource, formats, described, record, etag } = loaded.data;
  const [mode, setMode] = useState(() => (hasDraft(gateway, changeName(resource.name, recordKey)) ? "change" : "read"));
  const [action, setAction] = useState(null);
  const [isPrinting, setPrinting] = useState(false);
  const { title } = headOf(resource, record, recordKey);
  const act = (what, wanted = null) => {
    if (what === "change") setMode("change");
    else if (what === "print") setPrinting(true);
    else setAction(wanted);
  };
  const done = (text) => {
    setMode("read");
    setAction(null);
    say(text);
    loaded.load();
  };
  const reload = () => {
    setMode("read");
    loaded.load();
  };
  return html`<${RecordHead} resource=${resource} record=${record} recordKey=${recordKey} offer=${offer} described=${described} isReading=${mode === "read"} mayPrint=${formats.items.length > 0 || Boolean(formats.problem)} onDo=${act} />
    <${ProblemNote} problem=${loaded.problem} onRetry=${loaded.load} />
    ${mode === "change"
      ? html`<${ChangeForm} resource=${resource} described=${described} recordKey=${recordKey} record=${record} etag=${etag} onDone=${() => done(t`${title}: cambio guardado.`)} onCancel=${() => setMode("read")} onReload=${reload} />`
      : html`<${Facts} resource=${resource} described=${described} record=${record} recordKey=${recordKey} offer=${offer} />
        ${resource.attachments && html`<${Attachments} resource=${resource} recordKey=${recordKey} title=${title} />`}`}
    ${isPrinting && html`<${PrintDialog} title=${title} screen=${resource.screen} docEntry=${record[resource.key[0].name]} formats=${formats} onClose=${() => setPrinting(false)} />`}
    ${action && html`<${ActionDialog} title=${title} resource=${resource} recordKey=${recordKey} etag=${etag} action=${action} onClose=${() => setAction(null)} onDone=${done} />`}`;
}

/** Where a document comes from and what followed it, as one strip from the offer to the payment. It is read once somebody asks. */
import { hrefTo } from "../../addresses.js";
import { asProblem } from "../../api/problem.js";
import { readFlow } from "../../api/records.js";
import { State } from "../../components/badge.js";
import { ProblemNote } from "../../components/problem-note.js";
import { localCurrency } from "../../currencies.js";
import { money } from "../../formats.js";
import { html, useState } from "../../html.js";
import { t } from "../../texts.js";
import { isPayment } from "./copy-targets.js";
import { DOCUMENT_STATES, documentStateOf, openAmountOf, totalOf } from "./document-state.js";
import { hasFlow, nodeOf, stagesOf, startOf, withAnswer } from "./flow-stages.js";
import { oneOf } from "./heads.js";
import { flowOf } from "./linked-documents.js";

/** The record itself, as the strip shows documents. */
function documentOf(resource, record, key) {
  const total = totalOf(record);
  return { resource: resource.name, key, singular: oneOf(resource), number: record.DocNum, total: total?.amount ?? null, currency: total?.currency, open: openAmountOf(resource.name, record)?.amount ?? null, state: documentStateOf(record) ?? undefined };
}

/** What is known of the flow, and reading more of it. */
function useFlow(resource, record, key, described, offer) {
  const [flow, setFlow] = useState(() => {
    const kindOf = (name) => offer.items.find((each) => each.name === name && each.methods.includes("GET"));
    const named = flowOf(record, described.documents).filter((each) => kindOf(each.resource));
    return startOf([...named.map((each) => ({ resource: each.resource, key: String(each.entry), singular: oneOf(kindOf(each.resource)) })), documentOf(resource, record, key)]);
  });
  const [state, setState] = useState({ busy: null, problem: null, last: null });
  const read = async (document) => {
    setState({ busy: nodeOf(document), problem: null, last: document });
    try {
      const answer = await readFlow(document.resource, document.key);
      setFlow((now) => withAnswer(now, answer));
      setState({ busy: null, problem: null, last: document });
    } catch (error) {
      setState({ busy: null, problem: asProblem(error), last: document });
    }
  };
  const own = documentOf(resource, record, key); // as it is now: an action may have changed it
  const documents = new Map(flow.documents).set(nodeOf(own), { ...flow.documents.get(nodeOf(own)), ...own });
  return { flow: { ...flow, documents }, ...state, read };
}

/** @param {{resource: any, record: any, recordKey: string, described: import("../../api/descriptions.js").Description, offer: {items: any[]}}} props */
export function Flow(props) {
  return hasFlow(props.resource.name) ? html`<${Strip} ...${props} />` : null;
}

function Strip({ resource, record, recordKey, described, offer }) {
  const { flow, busy, problem, last, read } = useFlow(resource, record, recordKey, described, offer);
  const own = { resource: resource.name, key: recordKey };
  const isRead = flow.read.has(nodeOf(own));
  return html`<section class="panel" aria-labelledby="flow-title">
    <header><h2 id="flow-title">${t`Flujo del documento`}</h2>
      ${!isRead && html`<button type="button" class="small" disabled=${busy !== null} onClick=${() => read(own)}>${busy !== null && html`<span class="busy"></span>`}${t`Ver el flujo`}</button>`}</header>
    <ol class="flow">${stagesOf(resource.name, flow).map(({ title, documents }) => html`<li key=${title} class=${documents.length ? "" : "muted"}>
      <span class="stage">${title}</span>
      ${documents.length > 0 && html`<ul>${documents.map((each) => html`<${Step} key=${nodeOf(each)} document=${each} isOwn=${nodeOf(each) === nodeOf(own)} mayFollow=${isRead && !flow.read.has(nodeOf(each))} isBusy=${busy !== null} onFollow=${() => read(each)} />`)}</ul>`}
    </li>`)}</ol>
    ${flow.hasHidden && html`<p class="small muted">${t`Hay otros documentos que sus permisos no alcanzan.`}</p>`}
    ${!flow.isComplete && html`<p class="small muted">${t`Puede haber más: el ERP no los dijo todos.`}</p>`}
    <${ProblemNote} problem=${problem} onRetry=${last && (() => read(last))} />
  </section>`;
}

/** One document of the strip, with what leads on from it. */
function Step({ document, isOwn, mayFollow, isBusy, onFollow }) {
  const { resource, key, singular, number, total, currency, open, applied, state } = document;
  const name = `${singular ?? resource} ${number ?? t`(interno ${key})`}`;
  const amount = (value) => money(value, currency || localCurrency());
  return html`<li aria-current=${isOwn ? "true" : undefined}>
    ${isOwn ? html`<strong>${name}</strong>` : html`<a href=${hrefTo(["erp", resource, key])}>${name}</a>`}
    ${state && !(isPayment(resource) && state === "closed") && html` <${State} of=${state} words=${DOCUMENT_STATES} />`}
    ${typeof total === "number" && html`<span class="note">${amount(total)}${typeof open === "number" && open !== 0 && t` · por pagar ${amount(open)}`}${typeof applied === "number" && t` · aplicado ${amount(applied)}`}</span>`}
    ${mayFollow && html`<button type="button" class="plain small" disabled=${isBusy} onClick=${onFollow} aria-label=${t`Seguir desde ${name}`}>${t`Seguir`}</button>`}
  </li>`;
}

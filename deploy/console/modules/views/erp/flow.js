/** Where a document comes from and what followed it. */
import { hrefTo } from "../../addresses.js";
import { asProblem } from "../../api/problem.js";
import { listRecords } from "../../api/records.js";
import { ProblemNote } from "../../components/problem-note.js";
import { html, useState } from "../../html.js";
import { t } from "../../texts.js";
import { oneOf } from "./heads.js";
import { flowOf } from "./linked-documents.js";
import { STATUS } from "./open-with.js";
import { write } from "./write-value.js";

const WAYS = { Base: t`Viene de`, Target: t`Pasó a` };

/** What each of these documents is called, by one read of each kind: `Orders/12`. */
async function readNames(found, offer) {
  const kinds = offer.items.filter(({ name }) => found.some(({ resource }) => resource === name));
  const read = await Promise.all(kinds.map(async (kind) => {
    const [key] = kind.key;
    const shown = kind.columns.filter(({ name, type }, at) => at === 0 || type === "date" || name === STATUS).slice(0, 2).concat(kind.columns.filter(({ name }) => name === STATUS));
    const entries = found.filter(({ resource }) => resource === kind.name).map(({ entry }) => entry);
    const filter = [...new Set(entries)].map((entry) => `${key.name} eq ${entry}`).join(" or ");
    const { value } = await listRecords(kind.name, { select: [...new Set([key.name, ...shown.map(({ name }) => name)])].join(","), filter, top: entries.length });
    return value.map((row) => [`${kind.name}/${row[key.name]}`, shown.map((column) => write(row[column.name], column)).filter(Boolean).join(" · ")]);
  }));
  return new Map(/** @type {[string, string][]} */ (read.flat()));
}

/** @param {{record: object, described: import("../../api/descriptions.js").Description, offer: {items: any[]}}} props */
export function Flow({ record, described, offer }) {
  const [names, setNames] = useState(new Map());
  const [state, setState] = useState({ isBusy: false, problem: null });
  const found = flowOf(record, described.documents).map((each) => ({ ...each, kind: offer.items.find(({ name, methods }) => name === each.resource && methods.includes("GET")) }));
  const readable = found.filter(({ kind }) => kind);
  if (!readable.length) return null;
  const ask = async () => {
    setState({ isBusy: true, problem: null });
    try {
      setNames(await readNames(readable, offer));
      setState({ isBusy: false, problem: null });
    } catch (error) {
      setState({ isBusy: false, problem: asProblem(error) });
    }
  };
  const nameOf = ({ kind, entry }) => `${oneOf(kind)} ${names.get(`${kind.name}/${entry}`) ?? `(interno ${entry})`}`;
  return html`<section class="panel" aria-labelledby="flow-title">
    <header><h2 id="flow-title">${t`Flujo del documento`}</h2>
      ${names.size === 0 && html`<button type="button" class="small" disabled=${state.isBusy} onClick=${ask}>${state.isBusy && html`<span class="busy"></span>`}${t`Ver sus números`}</button>`}</header>
    <dl class="pairs">${Object.entries(WAYS).map(([way, word]) => {
      const those = readable.filter((each) => each.way === way);
      return those.length > 0 && html`<div key=${way}><dt>${word}</dt><dd><ul>${those.map((each) => html`<li key=${`${each.resource}/${each.entry}`}><a href=${hrefTo(["erp", each.resource, each.entry])}>${nameOf(each)}</a></li>`)}</ul></dd></div>`;
    })}</dl>
    <${ProblemNote} problem=${state.problem} onRetry=${ask} />
  </section>`;
}

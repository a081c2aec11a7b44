/** What became of writes to the ERP; one's own, and for administrators everybody's. */
import { hrefTo } from "../../addresses.js";
import { listWrites, readWrite } from "../../api/gateway.js";
import { State } from "../../components/badge.js";
import { SelectField, TextField } from "../../components/fields.js";
import { Form } from "../../components/form.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Details } from "../../components/problem-note.js";
import { Pager } from "../../components/table/pager.js";
import { Table } from "../../components/table/table.js";
import { say } from "../../components/toasts.js";
import { exactMoment } from "../../formats.js";
import { html, useEffect, useState } from "../../html.js";
import { goTo } from "../../router.js";
import { t } from "../../texts.js";
import { readNames, RecordName } from "../erp/names.js";
import { actorOf } from "./audit-words.js";
import { SettleDialog } from "./settle-dialog.js";
import { KINDS, placeInSet, STATES } from "./write-words.js";

const PAGE = 50;
const EMPTY = { unknown: t`Ninguna: no hay nada que aclarar.`, open: t`Ninguna está en camino.` };

export function WritesPage({ query }) {
  const state = query.get("resultado") ?? "";
  const page = Number(query.get("pagina") ?? 1);
  const id = query.get("numero") ?? "";
  const [typed, setTyped] = useState(id);
  useEffect(() => setTyped(id), [id]);
  const found = useLoaded(async () => {
    const asked = id ? readWrite(id).then((one) => ({ items: [one] })) : listWrites({ resultado: state, page, pageSize: PAGE });
    const [listed, names] = await Promise.all([asked, readNames()]);
    return { ...listed, names };
  }, [state, page, id]);
  const [settling, setSettling] = useState(null);
  const move = (asked) => goTo(hrefTo(["escrituras"], asked), { replace: true });
  const turn = (resultado, pagina) => move({ resultado, pagina: pagina > 1 ? pagina : "" });
  const find = () => {
    if (typed.trim() === id) found.load();
    else move({ numero: typed.trim() });
  };
  const done = (text) => {
    setSettling(null);
    say(text);
    found.load();
  };
  return html`<${PageHead} title=${t`Operaciones en el ERP`} about=${t`Qué se envió y qué se sabe de ello.`} />
    <section class="panel flush">
      <header><${Form} submitsOnEnter class="row" onSubmit=${find} label=${t`Condiciones`}>
        <${SelectField} label=${t`Qué se sabe`} value=${state} onInput=${(next) => turn(next, 1)} empty=${t`Todas`}
          options=${Object.entries(STATES).map(([value, [label]]) => ({ value, label }))} />
        <${TextField} label=${t`Número de la operación`} value=${typed} onInput=${setTyped} inputProps=${{ autocomplete: "off", spellcheck: false }} />
        <button type="submit">${t`Buscar`}</button>
        ${id && html`<a class="button plain" href="#/escrituras">${t`Ver todas`}</a>`}
      <//></header>
      <${Loaded} from=${found} what=${t`Leyendo las operaciones…`}>${(data) => html`<${WritesTable} rows=${data.items} names=${data.names} empty=${EMPTY[state]} onSettle=${setSettling} />
        ${data.page && html`<${Pager} page=${data.page} pages=${Math.ceil(data.total / data.pageSize)} total=${data.total} what=${t`operaciones`} one=${t`operación`} onPage=${(next) => turn(state, next)} />`}`}<//>
    </section>
    ${settling && html`<${SettleDialog} write=${settling} onClose=${() => setSettling(null)} onDone=${done} />`}`;
}

/** @param {{rows: object[], names: Map<string, object>, empty?: string, onSettle?: (row: object) => void}} props `names` of `readNames` */
export function WritesTable({ rows, names, empty = t`Ninguna todavía: lo que se cree o cambie en el ERP queda aquí.`, onSettle }) {
  const columns = [
    { key: "at", title: t`Cuándo`, head: true, text: (row) => exactMoment(row.at), cell: (row) => html`<span class="nowrap">${exactMoment(row.at)}</span>` },
    { key: "webUser", title: t`Quién`, cell: (row) => row.webUser },
    { key: "kind", title: t`Qué`, cell: (row) => html`${KINDS[row.kind] ?? row.kind}${row.changeSet && html`<span class="note">${placeInSet(row)}</span>`}` },
    { key: "resource", title: t`En qué`, cell: (row) => html`<${RecordName} names=${names} resource=${row.resource} recordKey=${row.key} />` },
    { key: "result", title: t`Qué se sabe`, cell: (row) => html`<${State} of=${row.result} words=${STATES} />${row.reason && html`<${Details}>${row.reason}<//>`}` },
    { key: "id", title: t`Número`, cell: (row) => html`<a class="small mono anywhere" href=${hrefTo(["escrituras"], { numero: row.id })}>${row.id}</a>` },
    { key: "endedAt", title: t`Se supo`, cell: (row) => row.endedAt && row.result !== "unknown" && html`${exactMoment(row.endedAt)}${row.endedBy && html`<span class="note">${t`por ${actorOf(row.endedBy)}`}</span>`}` },
    onSettle && { key: "settle", title: t`Aclarar`, quiet: true, controls: true, cell: (row) => row.result === "unknown" && html`<button type="button" class="small" onClick=${() => onSettle(row)}>${t`Aclarar`}</button>` },
  ].filter(Boolean);
  return html`<${Table} caption=${t`Operaciones`} layout="escrituras" isChoosable columns=${columns} rows=${rows} rowKey=${(row) => row.id} empty=${empty} />`;
}

/** What a partner owes, or is owed: the balance, and open invoices by how long they are due. Read once somebody asks. */
import { hrefTo } from "../../addresses.js";
import { readPartnerAccount } from "../../api/gateway.js";
import { State } from "../../components/badge.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { Table } from "../../components/table/table.js";
import { localCurrency } from "../../currencies.js";
import { day, hourOf, money } from "../../formats.js";
import { html, useState } from "../../html.js";
import { t } from "../../texts.js";
import { DOCUMENT_STATES } from "./document-state.js";

const AGES = { notDue: t`Por vencer`, days1To30: t`1 a 30 días`, days31To60: t`31 a 60 días`, days61To90: t`61 a 90 días`, over90: t`Más de 90 días` };

const COLUMNS = [
  { key: "number", title: t`Documento`, head: true, value: (each) => each.number, cell: (each) => html`<a href=${hrefTo(["erp", each.resource, each.key])}>${each.singular} ${each.number}</a>` },
  { key: "date", title: t`Fecha`, value: (each) => each.date, cell: (each) => day(each.date) },
  { key: "dueDate", title: t`Vencimiento`, value: (each) => each.dueDate, cell: (each) => day(each.dueDate) },
  { key: "total", title: t`Total`, number: true, value: (each) => each.total, cell: (each) => money(each.total, each.currency) },
  { key: "open", title: t`Por pagar`, number: true, value: (each) => each.open, cell: (each) => money(each.open, each.currency) },
  { key: "state", title: t`Estado`, cell: (each) => html`<${State} of=${each.state} words=${DOCUMENT_STATES} />` },
];

/** @param {{record: any, recordKey: string}} props */
export function PartnerAccount({ record, recordKey }) {
  const [isOpen, setOpen] = useState(false);
  const balance = record.CurrentAccountBalance;
  return html`<section class="panel document-head" aria-labelledby="account-title"><header><h2 id="account-title">${t`Cuenta`}</h2>
      ${!isOpen && html`<button type="button" class="small" onClick=${() => setOpen(true)}>${t`Ver facturas por antigüedad`}</button>`}</header>
    ${typeof balance === "number" && html`<dl><div class="large"><dt>${t`Saldo`}</dt><dd>${money(balance, record.Currency && record.Currency !== "##" ? record.Currency : localCurrency())}</dd></div></dl>`}
    ${isOpen && html`<${Account} recordKey=${recordKey} />`}
  </section>`;
}

function Account({ recordKey }) {
  const found = useLoaded(() => readPartnerAccount(recordKey), [recordKey]);
  return html`<${Loaded} from=${found} low>${({ accounts, documents, hasHidden, isComplete, openKnown, readAt }) => html`<div class="stack">
    ${accounts.map(({ currency, total, ages }) => html`<section key=${currency} aria-label=${t`Abierto en ${currency}`}><dl class="ages">
      <div><dt>${t`Abierto`}</dt><dd><strong>${money(total, currency)}</strong></dd></div>
      ${Object.entries(AGES).map(([name, title]) => html`<div key=${name}><dt>${title}</dt><dd>${money(ages[name], currency)}</dd></div>`)}</dl></section>`)}
    <${Table} caption=${t`Facturas abiertas`} columns=${COLUMNS} rows=${documents} rowKey=${(each) => `${each.resource}/${each.key}`} empty=${t`No hay facturas abiertas.`} />
    ${hasHidden && html`<p class="small muted">${t`Hay otros documentos que sus permisos no alcanzan.`}</p>`}
    ${!isComplete && html`<p class="small muted">${t`Puede haber más: se muestran los que vencieron primero.`}</p>`}
    ${!openKnown && html`<p class="small muted">${t`El ERP no dice qué se ha pagado: los montos son los totales de los documentos.`}</p>`}
    <p class="small muted">${t`leído ${hourOf(readAt)}`}</p>
  </div>`}<//>`;
}

/** A record's title, with what can be done with it. */
import { hrefTo } from "../../addresses.js";
import { PageHead } from "../../components/page.js";
import { html } from "../../html.js";
import { money } from "../../formats.js";
import { gateway } from "../../session/gateway-session.js";
import { t } from "../../texts.js";
import { targetsOf } from "./copy-targets.js";
import { DocumentAbout, isWithPartner } from "./document-head.js";
import { totalOf } from "./document-state.js";
import { headOf, oneOf } from "./heads.js";
import { ACTIONS, actionsFor } from "./record-actions.js";

const LINES = "DocumentLines";

/** What the first page says beside the title of a record that was opened. */
function noteOf(record) {
  const total = totalOf(record);
  return [record.CardName, total && money(total.amount, total.currency)].filter(Boolean).join(" · ");
}

/**
 * @param {object} props
 * @param {any} props.resource
 * @param {any} props.record
 * @param {string} props.recordKey
 * @param {{items: any[]}} props.offer
 * @param {import("../../api/descriptions.js").Description} props.described
 * @param {boolean} props.isReading whether nothing is being changed
 * @param {boolean} props.mayPrint
 * @param {(what: string, action?: string) => void} props.onDo
 */
export function RecordHead({ resource, record, recordKey, offer, described, isReading, mayPrint, onDo }) {
  const { name, methods } = resource;
  const { title, about } = headOf(resource, record, recordKey);
  const crumbs = [["#/erp", t`Registros`], [hrefTo(["erp", name]), resource.title ?? name]];
  const said = isWithPartner(record) ? html`<${DocumentAbout} record=${record} offer=${offer} />` : about;
  return html`<${PageHead} title=${title} about=${said} crumbs=${crumbs} openedAt=${gateway} openedNote=${noteOf(record)}>
    ${isReading && methods.includes("PATCH") && html`<button type="button" class="main" onClick=${() => onDo("change")}>${t`Cambiar`}</button>`}
    ${isReading && html`<${CopyTo} targets=${targetsOf(name, record, offer)} from=${`${name}/${recordKey}`} />`}
    ${isReading && actionsFor(resource.actions, record).map((each) => html`<button type="button" key=${each} onClick=${() => onDo("act", each)}>${ACTIONS[each] ?? each}</button>`)}
    ${isReading && mayPrint && html`<button type="button" onClick=${() => onDo("print")}>${t`Imprimir`}</button>`}
    ${isReading && methods.includes("POST") && described.hasCollection(LINES) && html`<a class="button" href=${hrefTo(["crear", name], { de: recordKey })}>${t`Duplicar`}</a>`}
    <a class="button" href=${hrefTo(["historia", name, recordKey])}>${t`Historia`}</a>
  <//>`;
}

function CopyTo({ targets, from }) {
  if (!targets.length) return null;
  return html`<span class="copy-to" role="group" aria-label=${t`Copiar a`}><span class="small muted" aria-hidden="true">${t`Copiar a`}</span>
    ${targets.map((each) => html`<a class="button" key=${each.name} href=${hrefTo(["crear", each.name], { base: from })}>${oneOf(each)}</a>`)}</span>`;
}

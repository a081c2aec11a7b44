/** A record to read: main data, totals, documents, collections and everything else. */
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { useCodeNames } from "./code-names.js";
import { DocumentHead, isWithPartner } from "./document-head.js";
import { Flow } from "./flow.js";
import { columnsOfLines, isScalar } from "./line-columns.js";
import { Lines } from "./lines.js";
import { OpenWith } from "./open-with.js";
import { PartnerAccount } from "./partner-account.js";
import { Totals, totalsOf } from "./totals.js";
import { Value } from "./value.js";
import { knownFirst } from "./write-value.js";

export function Facts({ resource, described, record, recordKey, offer }) {
  const main = resource.columns.map((column) => column.name).filter((name) => name in record);
  const rest = Object.keys(record).filter((name) => !main.includes(name) && !name.includes("odata") && described.isNamed(name) && isScalar(record[name]) && record[name] !== null && record[name] !== "");
  const collections = Object.entries(record).filter(([name, value]) => Array.isArray(value) && described.isCollectionNamed(name) && value.length > 0 && !isScalar(value[0]));
  const shown = collections.map(([name, lines]) => ({ rows: lines, fields: columnsOfLines(lines, described.of(name)).map((field) => described.of(name).fieldOf(field)) }));
  const { nameOf, choice } = useCodeNames([{ rows: [record], fields: main.map((name) => described.fieldOf(name)) }, ...shown], offer);
  const pairs = (names) => html`<dl class="pairs columns">
    ${names.map((name) => html`<div key=${name}><dt>${described.titleOf(name)}</dt>
      <dd><${Value} value=${record[name]} row=${record} field=${described.fieldOf(name, record[name])} offer=${offer} nameOf=${nameOf} /></dd></div>`)}
  </dl>`;
  const totals = totalsOf(record);
  return html`${isWithPartner(record) && html`<${DocumentHead} resource=${resource} record=${record} described=${described} />`}
    <${Flow} resource=${resource} record=${record} recordKey=${recordKey} described=${described} offer=${offer} />
    ${main.length > 0 && html`<section class="panel" aria-label=${t`Datos principales`}>${pairs(main)}${choice && html`<div class="actions">${choice}</div>`}</section>`}
    ${totals && html`<section class="panel" aria-label=${t`Totales`}><${Totals} totals=${totals} described=${described} /></section>`}
    ${"CardType" in record && html`<${PartnerAccount} record=${record} recordKey=${recordKey} />`}
    ${"CardType" in record && html`<${OpenWith} record=${record} described=${described} offer=${offer} />`}
    ${collections.map(([name, lines]) => html`<${Lines} key=${name} title=${described.collectionTitle(name)} described=${described.of(name)} lines=${lines} record=${record} offer=${offer} nameOf=${nameOf} layout=${`${resource.name}.${name}`} />`)}
    <section class="panel"><details open=${main.length === 0}><summary>${t`Todos los datos (${rest.length})`}</summary>${pairs(knownFirst(rest.map((name) => ({ name, title: described.titleOf(name) }))).map(({ name }) => name))}</details></section>`;
}

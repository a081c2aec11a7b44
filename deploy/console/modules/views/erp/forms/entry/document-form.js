/** A new document with its lines. */
import { DraftOffer } from "../../../../components/draft-offer.js";
import { Form } from "../../../../components/form.js";
import { html, useState } from "../../../../html.js";
import { goTo } from "../../../../router.js";
import { t } from "../../../../texts.js";
import { today } from "../../../../formats.js";
import { openLines } from "../../copy-targets.js";
import { estimateOf } from "../../totals.js";
import { basedOn } from "../based-lines.js";
import { useCreation } from "../create-state.js";
import { EditBar } from "../edit-bar.js";
import { useFirstFocus } from "../first-focus.js";
import { itemsOf } from "../taken-over.js";
import { TypedField } from "../typed-inputs.js";
import { WriteProblem } from "../writing.js";
import { documentFields } from "./document-fields.js";
import { EntryGrid } from "./entry-grid.js";
import { EntryTerms } from "./entry-terms.js";
import { useKnownRecords } from "./known-records.js";
import { listPriceOf, pricedLine } from "./line-amounts.js";

const PARTNER = "CardCode";
const NEED_DUE = ["Orders", "PurchaseOrders"];

/** The fields of the form; where the document is copied of another one, with its open lines. */
function fieldsOf(resource, described, record, baseType) {
  if (baseType === null) return documentFields(described, record);
  const fields = documentFields(described, { ...record, DocumentLines: openLines(record) });
  return { ...fields, start: basedOn(fields.start, record, baseType, { today: today(), needsDue: NEED_DUE.includes(resource.name) }) };
}

const lookupOf = (columns, name) => columns.find((column) => column.name === name)?.lookup ?? null;

/**
 * @param {object} props
 * @param {any} props.resource
 * @param {import("../../../../api/descriptions.js").Description} props.described
 * @param {any} props.record that it is made like, or copied of; null where it is neither
 * @param {number | null} props.baseType the ERP's number of the document that it is copied of; null where its lines come from none
 * @param {string | null} props.from
 * @param {string} props.back
 */
export function DocumentForm({ resource, described, record, baseType, from, back }) {
  const [{ head, behind, columns, title, lineColumns, start }] = useState(() => fieldsOf(resource, described, record, baseType));
  const creation = useCreation({ resource, columns, lineColumns, start, from });
  const { form, writing, texts, lines } = creation;
  const items = useKnownRecords(lookupOf(lineColumns, "ItemCode"), itemsOf(record).map((line) => [line.ItemCode, { ItemCode: line.ItemCode, ItemName: line.ItemDescription }]));
  const partners = useKnownRecords(lookupOf(head, PARTNER), record ? [[record.CardCode, { CardCode: record.CardCode, CardName: record.CardName }]] : []);
  const partner = partners.of(texts[PARTNER]);
  useFirstFocus(form.box);
  const priced = lines.map((line) => pricedLine(line, lineColumns, listPriceOf(items.of(line.ItemCode), partner?.PriceListNum))).filter(Boolean);
  const totals = creation.isFilled ? estimateOf(creation.read().header, priced) : null;
  return html`<${Form} box=${form.box} class="stack" onSubmit=${creation.submit}>
    <${DraftOffer} form=${form} />
    <section class="panel" aria-label=${t`Datos`}><div class="fields entry-fields" onFocusOut=${(event) => event.target.closest("[data-partner]") && partners.look([event.target.value])}>
      ${head.map((column) => html`<div key=${column.name} data-partner=${column.name === PARTNER ? "" : undefined}><${TypedField} column=${column} value=${texts[column.name] ?? ""} needed=${column.name === PARTNER}
        onFound=${column.name === PARTNER ? (found) => partners.note(found.CardCode, found) : undefined} fault=${creation.faultOf(column.name)} onInput=${creation.type(column.name)} /></div>`)}
    </div></section>
    <section class="panel" aria-labelledby="lines-title"><header><h2 id="lines-title">${title}</h2></header>
      <${EntryGrid} priceList=${partner?.PriceListNum} columns=${lineColumns} lines=${lines} onChange=${creation.setLines} faults=${creation.faults} items=${items} />
    </section>
    ${behind.length > 0 && html`<${EntryTerms} columns=${behind} creation=${creation} partner=${partner?.CardCode} />`}
    <${WriteProblem} problem=${writing.problem} described=${described} />
    <${EditBar} who=${[partner?.CardName, texts[PARTNER]].filter(Boolean).join(" · ")} totals=${totals} isEstimate=${creation.isFilled} described=${described}>
      <button type="submit" class="main" disabled=${writing.isBusy}>${writing.isBusy && html`<span class="busy"></span>`}${t`Crear`}</button>
      <button type="button" onClick=${() => form.leave(() => goTo(back))}>${t`Cancelar`}</button>
    <//>
  <//>`;
}

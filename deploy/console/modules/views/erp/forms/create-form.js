/** The form of a new record; where the resource has lines with items, a document with its lines. */
import { hrefTo } from "../../../addresses.js";
import { DraftOffer } from "../../../components/draft-offer.js";
import { Form } from "../../../components/form.js";
import { html, useLayoutEffect, useState } from "../../../html.js";
import { goTo, lastAt } from "../../../router.js";
import { t } from "../../../texts.js";
import { estimateOf } from "../totals.js";
import { useCreation } from "./create-state.js";
import { EditBar } from "./edit-bar.js";
import { NewLines } from "./new-lines.js";
import { linesOf, meaningOf } from "./row-shapes.js";
import { CURRENCY, DISCOUNT, itemsOf, NOTHING, takenOver } from "./taken-over.js";
import { TypedField } from "./typed-inputs.js";
import { WriteProblem } from "./writing.js";

const DOCUMENT_FIELDS = ["CardCode", "DocDate", "DocDueDate", "NumAtCard", "Comments"];
const LINES = "DocumentLines";

/** What a new record can have: its columns, those of its lines (null without lines), and the texts that the form opens with. */
function fieldsOf(resource, described, record) {
  if (!described.hasCollection(LINES)) {
    const generated = resource.key.length === 1 && resource.key[0].type === "integer" ? resource.key[0].name : null;
    const names = resource.columns.map((column) => column.name).filter((name) => name !== generated);
    return { columns: names.map((name) => described.fieldOf(name, record?.[name])), shape: null, lineColumns: null, start: NOTHING };
  }
  const names = [...DOCUMENT_FIELDS, ...[CURRENCY, DISCOUNT].filter((name) => record?.[name])];
  const columns = names.map((name) => described.fieldOf(name, record?.[name]));
  const shape = linesOf(described);
  const meaning = meaningOf(record ?? {}, itemsOf(record));
  const further = meaning.shown.map((name) => described.of(shape.name).fieldOf(name, itemsOf(record).find((line) => line[name])?.[name]));
  const lineColumns = [...shape.fresh, ...further];
  return { columns, shape, lineColumns, start: record ? takenOver(record, columns, lineColumns, meaning) : NOTHING };
}

export function CreateForm({ resource, described, record, from }) {
  const [{ columns, shape, lineColumns, start }] = useState(() => fieldsOf(resource, described, record));
  const creation = useCreation({ resource, columns, lineColumns, start, from });
  const { form, writing, texts, isFilled } = creation;
  const [found, setFound] = useState(null);
  const partner = found?.CardCode === texts.CardCode ? found : null;
  useLayoutEffect(() => {
    const isFree = [document.body, document.querySelector("main h1")].includes(document.activeElement);
    if (isFree) /** @type {HTMLElement | null} */ (form.box.current.querySelector(".fields input, .fields select"))?.focus();
  }, []);
  const back = from ? hrefTo(["erp", resource.name, from]) : lastAt(hrefTo(["erp", resource.name]));
  const isEstimate = isFilled && shape !== null;
  const totals = () => {
    const { header, lines } = creation.read();
    return estimateOf(header, lines);
  };
  return html`<${Form} box=${form.box} class="stack" onSubmit=${creation.submit}>
    <${DraftOffer} form=${form} />
    <section class="panel" aria-label=${t`Datos`}><div class="fields">
      ${columns.map((column) => html`<${TypedField} key=${column.name} column=${column} value=${texts[column.name] ?? ""} wide=${column.name === "Comments"} needed=${shape !== null && column.name === "CardCode"} onFound=${column.name === "CardCode" ? setFound : undefined}
        fault=${creation.faultOf(column.name)} onInput=${creation.type(column.name)} />`)}
    </div></section>
    ${shape && html`<section class="panel" aria-labelledby="lines-title"><header><h2 id="lines-title">${shape.title}</h2></header>
      <${NewLines} priceList=${partner?.PriceListNum} columns=${lineColumns} lines=${creation.lines} onChange=${creation.setLines} faults=${creation.faults} least=${1} />
    </section>`}
    <${WriteProblem} problem=${writing.problem} described=${described} />
    <${EditBar} who=${[partner?.CardName, texts.CardCode].filter(Boolean).join(" · ")} totals=${isEstimate ? totals() : null} isEstimate=${isEstimate} described=${described}>
      <button type="submit" class="main" disabled=${writing.isBusy}>${writing.isBusy && html`<span class="busy"></span>`}${t`Crear`}</button>
      <button type="button" onClick=${() => form.leave(() => goTo(back))}>${t`Cancelar`}</button>
    <//>
  <//>`;
}

/** The payment of an invoice: its open amount is proposed and can be changed. */
import { localCurrency } from "../../../currencies.js";
import { DraftOffer } from "../../../components/draft-offer.js";
import { Form } from "../../../components/form.js";
import { money } from "../../../formats.js";
import { html, useState } from "../../../html.js";
import { goTo } from "../../../router.js";
import { t } from "../../../texts.js";
import { useCreation } from "./create-state.js";
import { EditBar } from "./edit-bar.js";
import { useFirstFocus } from "./first-focus.js";
import { amountFault, owedOf, paymentBody, paymentColumns, paymentStart } from "./payment-body.js";
import { TypedField } from "./typed-inputs.js";
import { WriteProblem } from "./writing.js";

/** @param {{resource: any, described: import("../../../api/descriptions.js").Description, record: any, from: string | null, back: string}} props `record`: the invoice */
export function PaymentForm({ resource, described, record: invoice, from, back }) {
  const [columns] = useState(() => paymentColumns(described));
  const [start] = useState(() => paymentStart(invoice));
  const creation = useCreation({ resource, columns, lineColumns: null, start, from, bodyOf: (header) => paymentBody(resource.name, invoice, header) });
  const { form, writing, texts } = creation;
  const [isSent, setSent] = useState(false);
  useFirstFocus(form.box);
  const fault = amountFault(creation.read().header.SumApplied, invoice);
  const submit = () => {
    setSent(true);
    if (!fault) creation.submit();
  };
  const faultOf = ({ name }) => creation.faultOf(name) ?? (isSent && name === "SumApplied" ? fault : null);
  return html`<${Form} box=${form.box} class="stack" onSubmit=${submit}>
    <${DraftOffer} form=${form} />
    <section class="panel" aria-label=${t`Datos`}><div class="stack">
      <p>${t`Se deben ${money(owedOf(invoice), localCurrency())} de esta factura.`}</p>
      <div class="fields">${columns.map((column) => html`<${TypedField} key=${column.name} column=${column} value=${texts[column.name] ?? ""} fault=${faultOf(column)} needed=${column.name === "SumApplied"}
        hint=${column.name === "account" ? t`Vacía: la que el ERP tiene para ese medio.` : undefined} onInput=${creation.type(column.name)} />`)}</div>
    </div></section>
    <${WriteProblem} problem=${writing.problem} described=${described} />
    <${EditBar} who=${[invoice.CardName, invoice.CardCode].filter(Boolean).join(" · ")} described=${described}>
      <button type="submit" class="main" disabled=${writing.isBusy}>${writing.isBusy && html`<span class="busy"></span>`}${t`Crear`}</button>
      <button type="button" onClick=${() => form.leave(() => goTo(back))}>${t`Cancelar`}</button>
    <//>
  <//>`;
}

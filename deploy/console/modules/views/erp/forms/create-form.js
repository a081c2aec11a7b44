/** The form of a new record without lines. */
import { DraftOffer } from "../../../components/draft-offer.js";
import { Form } from "../../../components/form.js";
import { html, useState } from "../../../html.js";
import { goTo } from "../../../router.js";
import { t } from "../../../texts.js";
import { useCreation } from "./create-state.js";
import { EditBar } from "./edit-bar.js";
import { useFirstFocus } from "./first-focus.js";
import { NOTHING } from "./taken-over.js";
import { TypedField } from "./typed-inputs.js";
import { WriteProblem } from "./writing.js";

/** The properties that a person gives a new record: not its key, where the ERP numbers it. */
function columnsOf(resource, described, record) {
  const generated = resource.key.length === 1 && resource.key[0].type === "integer" ? resource.key[0].name : null;
  return resource.columns.map((column) => column.name).filter((name) => name !== generated).map((name) => described.fieldOf(name, record?.[name]));
}

export function CreateForm({ resource, described, record, from, back }) {
  const [columns] = useState(() => columnsOf(resource, described, record));
  const creation = useCreation({ resource, columns, lineColumns: null, start: NOTHING, from });
  const { form, writing, texts } = creation;
  useFirstFocus(form.box);
  return html`<${Form} box=${form.box} class="stack" onSubmit=${creation.submit}>
    <${DraftOffer} form=${form} />
    <section class="panel" aria-label=${t`Datos`}><div class="fields">
      ${columns.map((column) => html`<${TypedField} key=${column.name} column=${column} value=${texts[column.name] ?? ""} wide=${column.name === "Comments"} fault=${creation.faultOf(column.name)} onInput=${creation.type(column.name)} />`)}
    </div></section>
    <${WriteProblem} problem=${writing.problem} described=${described} />
    <${EditBar} described=${described}>
      <button type="submit" class="main" disabled=${writing.isBusy}>${writing.isBusy && html`<span class="busy"></span>`}${t`Crear`}</button>
      <button type="button" onClick=${() => form.leave(() => goTo(back))}>${t`Cancelar`}</button>
    <//>
  <//>`;
}

/** Creating a record. */
import { hrefTo } from "../../../addresses.js";
import { Loaded, useLoaded } from "../../../components/loading.js";
import { PageHead } from "../../../components/page.js";
import { html } from "../../../html.js";
import { t } from "../../../texts.js";
import { isPayment } from "../copy-targets.js";
import { oneOf } from "../heads.js";
import { CreateForm } from "./create-form.js";
import { readSource } from "./create-source.js";
import { LINES } from "./entry/document-fields.js";
import { DocumentForm } from "./entry/document-form.js";
import { PaymentForm } from "./payment-form.js";

/** The form of a new record: of a document with lines, of the payment of an invoice, or of anything else. */
function formOf({ resource, described, record }) {
  if (described.hasCollection(LINES)) return DocumentForm;
  return isPayment(resource.name) && record ? PaymentForm : CreateForm;
}

export function CreatePage({ params, query }) {
  const wanted = { like: query.get("de"), base: query.get("base") };
  const loaded = useLoaded(() => readSource(params.resource, wanted), [params.resource, wanted.like, wanted.base]);
  const resource = loaded.data?.resource;
  const crumbs = [["#/erp", t`Registros`], resource && [hrefTo(["erp", resource.name]), resource.title ?? resource.name]].filter(Boolean);
  return html`<${PageHead} title=${resource ? t`Crear: ${oneOf(resource)}` : t`Crear`} crumbs=${crumbs} about=${loaded.data?.about} />
    <${Loaded} from=${loaded} what=${t`Leyendo qué datos lleva…`}>${(data) => html`<${formOf(data)} key=${`${params.resource}/${data.from}`} ...${data} />`}<//>`;
}

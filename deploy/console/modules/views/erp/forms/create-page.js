/** Creating a record. */
import { hrefTo } from "../../../addresses.js";
import { Problem } from "../../../api/problem.js";
import { notOffered, readDescription, readRecord, readResource } from "../../../api/records.js";
import { Loaded, useLoaded } from "../../../components/loading.js";
import { PageHead } from "../../../components/page.js";
import { html } from "../../../html.js";
import { t } from "../../../texts.js";
import { headOf, oneOf } from "../heads.js";
import { CreateForm } from "./create-form.js";
import { LINES } from "./entry/document-fields.js";
import { DocumentForm } from "./entry/document-form.js";

/** @returns {Problem} */
const notCreatable = (resource) => new Problem({ code: "not_offered", detail: t`Sus permisos no alcanzan para crear en «${resource.title ?? resource.name}».` });

export function CreatePage({ params, query }) {
  const from = query.get("de");
  const loaded = useLoaded(async () => {
    const [resource, described] = await Promise.all([readResource(params.resource), readDescription(params.resource)]);
    if (!resource) throw notOffered(params.resource);
    if (!resource.methods.includes("POST")) throw notCreatable(resource);
    if (!described.isComplete) throw new Problem({ code: "not_described", detail: t`El ERP no dice ahora qué campos tiene este registro. No se ha cambiado nada.` });
    const record = from && resource ? (await readRecord(resource.name, from)).record : null;
    return { resource, described, record, from };
  }, [params.resource, from]);
  const resource = loaded.data?.resource;
  const crumbs = [["#/erp", t`Registros`], resource && [hrefTo(["erp", resource.name]), resource.title ?? resource.name]].filter(Boolean);
  return html`<${PageHead} title=${resource ? t`Crear: ${oneOf(resource)}` : t`Crear`} crumbs=${crumbs}
      about=${loaded.data?.record ? t`Copia de ${headOf(resource, loaded.data.record, from).title}. No se ha enviado nada.` : undefined} />
    <${Loaded} from=${loaded}>${(data) => html`<${data.described.hasCollection(LINES) ? DocumentForm : CreateForm} key=${`${params.resource}/${from}`} ...${data} />`}<//>`;
}

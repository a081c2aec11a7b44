/** What a new record begins with: another of its kind, or a document that is copied to it. */
import { hrefTo } from "../../../addresses.js";
import { Problem } from "../../../api/problem.js";
import { notOffered, readDescription, readRecord, readResource } from "../../../api/records.js";
import { lastAt } from "../../../router.js";
import { t } from "../../../texts.js";
import { isPayment, openLines } from "../copy-targets.js";
import { headOf } from "../heads.js";

const fail = (detail) => {
  throw new Problem({ code: "not_offered", detail });
};

/**
 * What the page is about; `record`: what it begins with; `from`: the name of its draft; `back`: where "Cancelar" leads.
 *
 * @typedef {{resource: any, described: import("../../../api/descriptions.js").Description, record: any, baseType: number | null, from: string | null, back: string, about: string | undefined}} Source
 */

/** @param {string} name @param {{like: string | null, base: string | null}} wanted @returns {Promise<Source>} */
export async function readSource(name, { like, base }) {
  const [resource, described] = await Promise.all([readResource(name), readDescription(name)]);
  if (!resource) throw notOffered(name);
  if (!resource.methods.includes("POST")) fail(t`Sus permisos no alcanzan para crear en «${resource.title ?? resource.name}».`);
  if (!described.isComplete) throw new Problem({ code: "not_described", detail: t`El ERP no dice ahora qué campos tiene este registro. No se ha cambiado nada.` });
  const common = { resource, described, record: null, baseType: null, from: null, back: lastAt(hrefTo(["erp", name])), about: undefined };
  if (base) return { ...common, ...(await readBase(name, described, base)) };
  if (!like) return common;
  const { record } = await readRecord(name, like);
  return { ...common, record, from: like, back: hrefTo(["erp", name, like]), about: t`Copia de ${headOf(resource, record, like).title}. No se ha enviado nada.` };
}

async function readBase(name, described, base) {
  const [kind, key] = [base.slice(0, base.indexOf("/")), base.slice(base.indexOf("/") + 1)];
  const resource = await readResource(kind);
  if (!resource?.methods.includes("GET")) throw notOffered(kind);
  const { record } = await readRecord(kind, key);
  const { title } = headOf(resource, record, key);
  const baseType = described.documents.find((each) => each.resource === kind)?.number ?? null;
  if (!isPayment(name) && baseType === null) fail(t`De ${title} no se puede hacer este documento.`);
  if (!isPayment(name) && !openLines(record).some(({ ItemCode }) => ItemCode)) fail(t`En ${title} no queda ningún artículo abierto que copiar.`);
  return { record, baseType, from: `base/${base}`, back: hrefTo(["erp", kind, key]), about: t`De ${title}, con lo que queda abierto. No se ha enviado nada.` };
}

/** Permissions refused lately, in words. */
import { readAudit } from "../../api/gateway.js";
import { moment, today } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { readNames } from "../erp/names.js";
import { more, MOST, Nothing } from "./card-rows.js";

export async function readRefusals() {
  const found = await readAudit({ accion: "permission_denied", desde: today(), pageSize: MOST });
  return { ...found, names: found.total ? await readNames() : new Map() };
}

/** What somebody was refused, as one would say it. */
function sentenceOf({ webUser, resource, key, detail }, names) {
  const what = names.get(resource)?.one ?? resource ?? t`varios registros`;
  const person = webUser ?? t`alguien`;
  if (!detail?.method || detail.method === "GET") return key ? t`${person} no pudo ver ${what} ${key}` : t`${person} no pudo ver ${what}`;
  return key ? t`${person} no pudo cambiar ${what} ${key}` : t`${person} no pudo crear ${what}`;
}

export function Refusals({ data }) {
  if (!data.total) return html`<${Nothing}>${t`A nadie: no hay permisos que revisar.`}<//>`;
  return html`<ul class="stack tight">${data.items.map((each) => html`<li key=${each.id}>${sentenceOf(each, data.names)}
      <span class="note">${moment(each.at)}</span></li>`)}</ul>${more(data)}`;
}

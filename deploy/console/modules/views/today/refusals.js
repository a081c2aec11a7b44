/** Permissions refused today. */
import { readAudit } from "../../api/gateway.js";
import { moment, today } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { more, MOST, Nothing } from "./card-rows.js";

export const readRefusals = () => readAudit({ accion: "permission_denied", desde: today(), pageSize: MOST });

export function Refusals({ data }) {
  if (!data.total) return html`<${Nothing}>${t`A nadie: no hay permisos que revisar.`}<//>`;
  return html`<ul class="stack tight">${data.items.map((each) => html`<li key=${each.id}>${each.webUser ?? t`alguien`}: <span class="mono small">${each.resource} ${each.key}</span>
      <span class="note">${moment(each.at)}</span></li>`)}</ul>${more(data)}`;
}

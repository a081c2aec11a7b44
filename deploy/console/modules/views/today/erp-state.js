/** Whether the ERP responds. */
import { Badge } from "../../components/badge.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";

export function ErpState() {
  return html`<p><${Badge} kind="ok">${t`Responde`}<//></p>`;
}

/** What stays in sight below a form of a record: whose it is, what it comes to, and what ends it. */
import { html } from "../../../html.js";
import { Totals } from "../totals.js";

/** @param {{who?: string, totals?: any, isEstimate?: boolean, described: import("../../../api/descriptions.js").Description, children: any}} props */
export function EditBar({ who, totals, isEstimate = false, described, children }) {
  return html`<div class="edit-bar panel">
    <div class="about">${who && html`<strong>${who}</strong>`}${(totals || isEstimate) && html`<${Totals} totals=${totals} isEstimate=${isEstimate} described=${described} />`}</div>
    <div class="actions">${children}</div>
  </div>`;
}

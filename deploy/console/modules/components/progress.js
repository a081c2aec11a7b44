/** How far some work is. */
import { html } from "../html.js";
import { t } from "../texts.js";

export function Progress({ done, total, children }) {
  return html`<div class="stack tight">
    <p role="status" aria-live="polite">${children}</p>
    <progress max=${total || 1} value=${total ? done : undefined} aria-label=${t`Avance`}></progress>
  </div>`;
}

/** Something is loading. */
import { html } from "../html.js";
import { t } from "../texts.js";

export function Waiting({ children = t`Cargando…`, low = false }) {
  return html`<div class=${`waiting ${low ? "low" : ""}`} role="status"><span class="button plain busy">${children}</span></div>`;
}

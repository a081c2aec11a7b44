/** What the cards of the first page have in common: at most five rows, how many more there are, and that there are none. */
import { plural } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";

export const MOST = 5;
export const Nothing = ({ children }) => html`<p class="muted">${children}</p>`;
export const more = ({ total, items }) => total > items.length && html`<p class="small muted">y ${plural(total - items.length, t`más`, t`más`)}</p>`;

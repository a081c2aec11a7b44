/** A box that says something about the page. */
import { html } from "../html.js";

export function Note({ kind = "", title, children, live = false }) {
  return html`<div class=${`note-box ${kind}`} role=${live ? "alert" : undefined}>
    ${title && html`<strong>${title}</strong>`}${children}
  </div>`;
}

/** The two things that a person most likely comes for. */
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { actionsOf } from "./main-actions.js";

/** @param {{offer?: {items: any[]}, isInReturns: boolean}} props `offer`: what the gateway lets the person use; none where they are not in it */
export function LargeActions({ offer, isInReturns }) {
  return html`<nav class="large-actions" aria-label=${t`Lo más usado`}>${actionsOf(offer, isInReturns).map(({ href, text }, at) => html`<a key=${href} class=${at ? "button" : "button main"} href=${href}>${text}</a>`)}</nav>`;
}

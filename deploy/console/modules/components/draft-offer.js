/** The offer of a draft. */
import { moment } from "../formats.js";
import { html } from "../html.js";
import { t } from "../texts.js";
import { Note } from "./note.js";

/**
 * What was typed before the page was loaded anew, offered at the head of its form.
 *
 * @param {{form: import("../forms/form.js").Form}} props
 */
export function DraftOffer({ form }) {
  if (!form.offer) return null;
  return html`<${Note} kind="warn" title=${t`Quedó sin guardar lo que escribió el ${moment(form.offer.at)}`}>
    ${form.isOfferOld && html`<p>${t`El registro cambió desde entonces: compare antes de guardar.`}</p>`}
    <div class="actions"><button type="button" class="small" onClick=${form.recover}>${t`Recuperarlo`}</button>
      <button type="button" class="plain small" onClick=${form.discard}>${t`Descartarlo`}</button></div>
  <//>`;
}

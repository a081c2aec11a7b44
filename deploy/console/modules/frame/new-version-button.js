/** The offer to load a new version of the console. */
import { reload } from "../forms/unsaved.js";
import { html } from "../html.js";
import { isReplaced } from "../new-version.js";
import { useStore } from "../store.js";
import { t } from "../texts.js";

export function NewVersionButton() {
  const isOffered = useStore(isReplaced);
  return html`<div role="status">${isOffered && html`<button type="button" class="small main" title=${t`Lo que está escribiendo se conserva.`} onClick=${reload}>${t`Versión nueva: actualizar`}</button>`}</div>`;
}

/** The one dialog of the console. */
import { focusTitle } from "../forms/form.js";
import { html, useId, useLayoutEffect, useRef, useState } from "../html.js";
import { t } from "../texts.js";
import { DraftOffer } from "./draft-offer.js";
import { Form } from "./form.js";

/**
 * A modal dialog of the browser's own: it keeps the focus, and Escape asks to close it.
 *
 * @param {{title: string, onClose?: () => void, children?: any, foot?: any, large?: boolean, onSubmit?: (event: SubmitEvent) => void,
 *   submitsOnEnter?: boolean, form?: import("../forms/form.js").Form}} props `form` where something is typed in it
 */
export function Dialog({ title, onClose, children, foot, large = false, onSubmit, submitsOnEnter = false, form }) {
  const box = useRef(null);
  const isLeaving = useRef(false);
  const titleId = useId();
  const [opener] = useState(() => /** @type {HTMLElement | null} */ (document.activeElement));
  useLayoutEffect(() => {
    const dialog = box.current;
    dialog.showModal();
    return () => {
      isLeaving.current = true;
      dialog.close();
      if (opener?.isConnected) opener.focus();
      queueMicrotask(focusTitle); // the button that opened it may go in the same drawing
    };
  }, []);
  const cancel = (event) => {
    if (!event.cancelable) return; // the browser closes it all the same, which a further Escape is enough for
    event.preventDefault();
    onClose?.();
  };
  const closed = () => {
    if (isLeaving.current) return;
    box.current.showModal(); // whether it goes is for `onClose` to say
    onClose?.();
  };
  const body = html`<div class="dialog-head">
      <h2 id=${titleId}>${title}</h2>
      ${onClose && html`<button type="button" class="plain small" onClick=${onClose}>${t`Cerrar`}</button>`}
    </div>
    <div class="dialog-body">${form && html`<${DraftOffer} form=${form} />`}${children}</div>
    ${foot && html`<div class="dialog-foot">${foot}</div>`}`;
  return html`<dialog ref=${box} class=${large ? "large" : ""} aria-labelledby=${titleId} onCancel=${cancel} onClose=${closed}>
    ${onSubmit ? html`<${Form} box=${form?.box} submitsOnEnter=${submitsOnEnter} onSubmit=${onSubmit}>${body}<//>` : body}
  </dialog>`;
}

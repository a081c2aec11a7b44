/** What tells people how things stand: problems, badges, waiting, short messages. */
import { html, useId, useLayoutEffect, useRef, useState } from "../html.js";
import { moment, plural } from "../formats.js";
import { focusTitle } from "../forms/form.js";
import { place } from "../router.js";
import { createStore, useStore } from "../store.js";
import { t } from "../texts.js";
import { Form } from "./form.js";
import { placeInWords } from "../titles.js";

const MOST_FAULTS = 20; // of a request, beneath each other

export function Note({ kind = "", title, children, live = false }) {
  return html`<div class=${`note-box ${kind}`} role=${live ? "alert" : undefined}>
    ${title && html`<strong>${title}</strong>`}${children}
  </div>`;
}

/** A problem in the words of the service: what its fields don't tell; what helps whoever is called for help, where one looks for it. */
export function ProblemNote({ problem, onRetry, titleAt, children }) {
  const [, drawAgain] = useState(0);
  const rest = problem?.unplaced ?? [];
  useLayoutEffect(() => {
    if (problem) clearToasts();
  }, [problem]);
  useLayoutEffect(() => {
    if (problem && problem.unplaced.length !== rest.length) drawAgain((times) => times + 1); // fields that are drawn after it
  });
  if (!problem) return null;
  const { upstream, body } = problem;
  const details = [body.write?.id && t`Operación ${body.write.id}`, problem.requestId && t`Petición ${problem.requestId}`, problem.code, upstream?.code && `ERP ${upstream.code}`].filter(Boolean);
  return html`<div class="note-box bad" role="alert">
    <strong>${problem.detail}</strong>
    ${rest.length > 0 &&
    html`<ul>
      ${rest.slice(0, MOST_FAULTS).map((each) => html`<li>${each.path && html`${placeInWords(each.path, titleAt) ?? html`<code>${each.path}</code>`}: `}${each.message}</li>`)}
      ${rest.length > MOST_FAULTS && html`<li>y ${plural(rest.length - MOST_FAULTS, t`falta más`, t`faltas más`)}</li>`}
    </ul>`}
    ${upstream?.message && html`<p>${t`El ERP dijo: ${upstream.message}`}</p>`}
    ${children}
    ${onRetry && html`<div class="actions"><button type="button" class="small" onClick=${onRetry}>${t`Intentar de nuevo`}</button></div>`}
    <${Details}>${details.join(" · ")}<//>
  </div>`;
}

/** A box that comes into sight whenever what it tells is another: on a phone it may stand far below, or behind the bar. */
export function useInSight(told) {
  const box = useRef(null);
  useLayoutEffect(() => {
    if (told) box.current?.scrollIntoView({ block: "nearest" });
  }, [told]);
  return box;
}

/** Ids and codes: for whoever is called for help. */
export function Details({ children }) {
  return html`<details class="small"><summary>${t`Detalles`}</summary><span class="mono">${children}</span></details>`;
}

export function Waiting({ children = t`Cargando…`, low = false }) {
  return html`<div class=${`waiting ${low ? "low" : ""}`} role="status"><span class="button plain busy">${children}</span></div>`;
}

const toasts = createStore([]);
let lastToast = 0;

/** Take away what was said: it was of another page, or of what has failed since. */
export const clearToasts = () => void (toasts.get().length && toasts.set([]));
let saidAt = "";
place.subscribe(({ path }) => {
  if (path !== saidAt) clearToasts();
  saidAt = path;
});

/** Say something for some seconds, in a place that screen readers follow; until another page is opened. */
export function say(text) {
  const id = ++lastToast;
  saidAt = place.get().path;
  toasts.set([...toasts.get(), { id, text }]);
  setTimeout(() => toasts.set(toasts.get().filter((each) => each.id !== id)), 6000);
}

export function Toasts() {
  const shown = useStore(toasts);
  return html`<div class="toasts" role="status" aria-live="polite">
    ${shown.map(({ id, text }) => html`<div class="toast" key=${id}>${text}</div>`)}
  </div>`;
}

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

export function Progress({ done, total, children }) {
  return html`<div class="stack tight">
    <p role="status" aria-live="polite">${children}</p>
    <progress max=${total || 1} value=${total ? done : undefined} aria-label=${t`Avance`}></progress>
  </div>`;
}

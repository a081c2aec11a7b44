/** Short messages over the bar. */
import { html } from "../html.js";
import { place } from "../router.js";
import { createStore, useStore } from "../store.js";

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

/** Forms that hold what was typed and not sent: whoever would leave one is asked first. */
import { endsWithPage, tabStore } from "../kept.js";
import { createStore } from "../store.js";

/** @type {Set<() => void>} what drops each form's draft */
const held = new Set();

/** What somebody wants to do who has to be asked first: `{go}` or null. */
export const leaving = createStore(null);

export const holdsUnsaved = () => held.size > 0;

/** Do it at once, or once the person agrees to lose what was typed: then no draft of it stays either. */
export function leave(go) {
  if (!holdsUnsaved()) return go();
  const agreed = () => {
    for (const drop of [...held]) drop();
    go();
  };
  return leaving.set({ go: agreed });
}

/** Hold what was typed in a form until the returned function is called. */
export function hold(drop) {
  held.add(drop);
  return () => void held.delete(drop);
}

let isReloading = false;

/** Load the page again. Drafts survive that, so nobody is asked, unless this browser keeps none. */
export function reload() {
  isReloading = !endsWithPage(tabStore);
  location.reload();
}

addEventListener("beforeunload", (event) => {
  if (holdsUnsaved() && !isReloading) event.preventDefault();
});

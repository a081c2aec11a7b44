/** Forms that hold what was typed and not sent: whoever would leave one is asked first. */
import { useLayoutEffect } from "./html.js";
import { createStore } from "./store.js";

const held = new Set();

/** What somebody wants to do who has to be asked first: `{go}` or null. */
export const leaving = createStore(null);

export const holdsUnsaved = () => held.size > 0;

/** Do it at once, or once the person agrees to lose what was typed. */
export function leave(go) {
  if (holdsUnsaved()) leaving.set({ go });
  else go();
}

/**
 * Hold what was typed in a form for as long as it is there and `isTouched`.
 *
 * @returns {(go: () => void) => void} does what ends the form, after asking where there is something to lose
 */
export function useUnsaved(isTouched) {
  useLayoutEffect(() => {
    if (!isTouched) return undefined;
    const form = {};
    held.add(form);
    return () => held.delete(form);
  }, [isTouched]);
  return (go) => (isTouched ? leave(go) : go());
}

addEventListener("beforeunload", (event) => {
  if (holdsUnsaved()) event.preventDefault();
});

/** Where a form begins for the keyboard. */
import { useLayoutEffect } from "../../../html.js";

/** Give the first field the focus, unless a person has put it elsewhere. @param {{current: any}} box of the form */
export function useFirstFocus(box) {
  useLayoutEffect(() => {
    const isFree = [document.body, document.querySelector("main h1")].includes(document.activeElement);
    if (isFree) /** @type {HTMLElement | null} */ (box.current.querySelector(".fields input, .fields select"))?.focus();
  }, []);
}

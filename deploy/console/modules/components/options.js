/** The list beneath an input, as the search box and every value help have it. The browser filters nothing in it. */
import { html, useEffect, useState } from "../html.js";

/**
 * @param {string} id of the list
 * @param {number} count of its options
 * @param {{first?: number}} [begin] `first`: the option that Enter takes before any is chosen; -1: none
 */
export function useOptions(id, count, { first = 0 } = {}) {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(first);
  const at = Math.min(active, count - 1);
  const isShown = isOpen && count > 0;
  useEffect(() => {
    if (isShown && at >= 0) document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [isShown, at]);
  const open = () => {
    setActive(first);
    setOpen(true);
  };
  /** Handle the arrow keys and Escape. @returns {boolean} whether it was one of them */
  const press = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && count) {
      event.preventDefault();
      setActive(isShown ? (at + step + count) % count : Math.max(first, step > 0 ? 0 : count - 1));
      setOpen(true);
    } else if (event.key === "Escape" && isShown) {
      event.preventDefault(); // a dialog around it stays open
      setOpen(false);
    } else {
      return false;
    }
    return true;
  };
  const attributes = { role: "combobox", "aria-expanded": String(isShown), "aria-controls": `${id}-list`, "aria-autocomplete": "list", "aria-activedescendant": isShown && at >= 0 ? `${id}-${at}` : undefined, autocomplete: "off" };
  return { id, at, isShown, open, close: () => setOpen(false), press, attributes };
}

/**
 * @param {object} props
 * @param {ReturnType<typeof useOptions>} props.list
 * @param {string} props.label for screen readers
 * @param {any[]} props.words what each option says
 * @param {(index: number) => void} props.onTake
 */
export function Options({ list, label, words, onTake }) {
  return html`<ul role="listbox" id=${`${list.id}-list`} aria-label=${label} hidden=${!list.isShown}>
    ${list.isShown && words.map((each, index) => html`<li key=${index} id=${`${list.id}-${index}`} role="option" aria-selected=${String(index === list.at)}
      onMouseDown=${(event) => event.preventDefault()} onClick=${() => onTake(index)}>${each}</li>`)}
  </ul>`;
}

/** Arrow keys in a table: from the link of one row to that of another; Enter opens it, as every link. */

const STEPS = { ArrowDown: (at) => at + 1, ArrowUp: (at) => at - 1, Home: () => 0, End: (_at, count) => count - 1 };

/** @param {KeyboardEvent} event in a table or around it */
export function moveByRows(event) {
  const step = STEPS[event.key];
  const link = /** @type {HTMLElement} */ (event.target).closest("tbody > tr > th a");
  if (!step || !link || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const links = /** @type {HTMLElement[]} */ ([...link.closest("table").querySelectorAll(":scope > tbody > tr > th a")]);
  const next = links[step(links.indexOf(/** @type {HTMLElement} */ (link)), links.length)];
  event.preventDefault(); // the page stays where the rows are
  next?.focus();
}

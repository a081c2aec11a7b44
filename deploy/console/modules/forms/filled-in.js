/**
 * Values that stand in an input although no event told of them. Password managers and browsers fill forms like that, and
 * the next drawing would put the old value back.
 */

/** @type {WeakMap<HTMLInputElement, string>} what each input had after it was drawn */
const drawn = new WeakMap();

/** Note the value that an input was drawn with; for its `ref`, as a new function each time. */
export const noteDrawn = (input) => void (input && drawn.set(input, input.value));

/**
 * Tell of all values that no event has told of, one after the other: a handler knows what was drawn, so each needs the
 * drawing after the one before.
 *
 * @param {HTMLFormElement} form
 * @param {EventTarget | null} [source] the input whose own event is under way
 * @returns {Promise<void> | null} when all are drawn; null where there are none
 */
export function tellFilledIn(form, source = null) {
  const inputs = /** @type {HTMLInputElement[]} */ ([...form.elements]);
  const untold = inputs.filter((each) => each !== source && drawn.has(each) && drawn.get(each) !== each.value).map((input) => ({ input, value: input.value }));
  for (const { input, value } of untold) drawn.set(input, value); // the events that follow come here again
  return untold.length ? tell(untold) : null;
}

async function tell(untold) {
  for (const { input, value } of untold) {
    input.value = value; // the drawing after another one's event has put the old one back
    input.dispatchEvent(new Event(input.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
    await Promise.resolve();
  }
}

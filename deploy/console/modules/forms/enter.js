/** What Enter does in a form. In a form that writes, only its button and Ctrl+Enter submit. */

const NO_FIELDS = ["button", "submit", "reset", "image", "file", "hidden"]; // they have a use of their own for Enter, or none

/** Whether a key is Enter alone: Ctrl+Enter submits, and an Enter that ends a composed character is none. */
export const isEnter = (event) => event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.isComposing;

const isField = (element) => (element instanceof HTMLInputElement ? !NO_FIELDS.includes(element.type) : element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement);

/** The fields of a form that a person can go to, without those of a dialog that lies over it. */
function fieldsOf(form) {
  const canBeReached = (each) => isField(each) && !each.disabled && !each.readOnly && each.closest("dialog") === form.closest("dialog") && !each.closest("details:not([open])");
  return [...form.elements].filter(canBeReached);
}

const isBlank = (line) => [...line.querySelectorAll("input, select, textarea")].every((each) => each.value.trim() === "");

/** Add a line behind the last one, unless that one is still blank. */
function addLine(lines) {
  const last = lines.querySelector("fieldset:last-of-type");
  if (last && isBlank(last)) return false;
  const button = /** @type {HTMLButtonElement | null} */ (lines.querySelector("[data-another]"));
  button?.click();
  return button !== null;
}

function goOn(form, field) {
  const fields = fieldsOf(form);
  const next = fields[fields.indexOf(field) + 1];
  const lines = field.closest("[data-lines]");
  if (lines && !lines.contains(next ?? null) && addLine(lines)) return;
  if (!next) return; // it stays at the last one: a second Enter must not press the button
  next.focus();
  if (next instanceof HTMLInputElement) next.select();
}

function submit(form) {
  const button = form.querySelector("[type=submit]");
  if (button && !button.disabled) form.requestSubmit(button);
}

/**
 * Handle a key in a form that writes: Enter leads to the next field or adds a line, Ctrl+Enter submits.
 *
 * @param {KeyboardEvent} event
 */
export function enterInWritingForm(event) {
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  const field = /** @type {HTMLElement} */ (event.target);
  if (event.key !== "Enter" || event.isComposing || event.defaultPrevented || !isField(field)) return;
  const isOfOtherDialog = field.closest("dialog") !== form.closest("dialog");
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    if (!isOfOtherDialog && !event.repeat) submit(form);
  } else if (!(field instanceof HTMLTextAreaElement)) {
    event.preventDefault();
    if (!isOfOtherDialog) goOn(form, field);
  }
}

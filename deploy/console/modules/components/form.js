/** The one form element: it reads its inputs when it is submitted, checks that nothing is missing, and decides what Enter does. */
import { enterInWritingForm } from "../forms/enter.js";
import { tellFilledIn } from "../forms/filled-in.js";
import { whenComplete } from "../forms/form.js";
import { html, useLayoutEffect, useRef } from "../html.js";

const BEFORE_DRAWING = ["input", "change", "click", "keydown", "focusin", "pointerover"]; // what may draw the form anew, or lead to its button

/**
 * @param {object} props
 * @param {(event: SubmitEvent) => void} props.onSubmit
 * @param {boolean} [props.submitsOnEnter] for a form that writes nothing: a sign-in, a search, a report
 * @param {{current: any}} [props.box] a ref of the form's element
 * @param {any} [props.children]
 * @param {string} [props.class]
 * @param {string} [props.label] for screen readers
 */
export function Form({ onSubmit, submitsOnEnter = false, box, children, class: className, label }) {
  const own = useRef(null);
  const element = box ?? own;
  const latest = useRef(onSubmit);
  useLayoutEffect(() => void (latest.current = onSubmit));
  const telling = useRef(/** @type {Promise<void> | null} */ (null));
  const tell = (source = null) => {
    const told = tellFilledIn(element.current, source)?.finally(() => (telling.current = null));
    if (told) telling.current = told;
  };
  useLayoutEffect(() => {
    const form = element.current;
    const before = (event) => tell(["input", "change"].includes(event.type) ? event.target : null);
    for (const name of BEFORE_DRAWING) form.addEventListener(name, before, { capture: true });
    return () => {
      for (const name of BEFORE_DRAWING) form.removeEventListener(name, before, { capture: true });
    };
  }, []);
  const send = (event) => whenComplete(latest.current)(event);
  const submit = (event) => {
    event.preventDefault();
    tell();
    if (telling.current) telling.current.then(() => send(event));
    else send(event);
  };
  return html`<form ref=${element} class=${className} aria-label=${label} novalidate onSubmit=${submit} onKeyDown=${submitsOnEnter ? undefined : enterInWritingForm}>${children}</form>`;
}

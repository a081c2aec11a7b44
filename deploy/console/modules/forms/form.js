/** What all forms have in common: nothing typed is lost, what is missing is marked, a refusal has the focus. */
import { dropDraft, keepDraft, readDraft } from "./drafts.js";
import { useEffect, useLayoutEffect, useRef, useState } from "../html.js";
import { hold, leave } from "./unsaved.js";

/**
 * @typedef {object} Form
 * @property {{current: HTMLElement | null}} box the form's element
 * @property {import("./drafts.js").Draft | null} offer what was typed before the page was loaded anew
 * @property {boolean} isOfferOld whether the record has become another one since
 * @property {() => void} recover puts the offer into the form
 * @property {() => void} discard
 * @property {(go: () => void) => void} leave does what ends the form, after asking where there is something to lose
 * @property {() => void} saved forgets what was typed: it is sent, and its page begins with its title
 */

/**
 * One form: what was typed is kept as a draft while `isTouched`, and whoever leaves meanwhile is asked.
 *
 * @param {object} options
 * @param {{owner: () => string}} options.service whose form it is
 * @param {string} options.name of the form and its record
 * @param {any} options.typed what was typed, as JSON can say it
 * @param {boolean} options.isTouched whether there is anything to lose
 * @param {boolean} [options.isHeld] whether leaving asks; not while it is on its way
 * @param {(typed: any) => void} options.restore puts a draft back
 * @param {unknown} [options.stamp] the version of the record that it is typed over
 * @param {unknown} [options.refusal] what is wrong, another object each time: its first field gets the focus
 * @returns {Form}
 */
export function useForm({ service, name, typed, isTouched, isHeld = isTouched, restore, stamp = null, refusal = null }) {
  const box = useRef(null);
  const [owner] = useState(() => service.owner());
  const [offer, setOffer] = useState(() => readDraft(owner, name));
  const wasTouched = useRef(false);
  const isOver = useRef(false);
  const drop = () => {
    isOver.current = true;
    dropDraft(owner, name);
  };
  const content = isTouched ? JSON.stringify(typed) : null;
  useLayoutEffect(() => {
    if (isOver.current) return;
    if (content !== null) keepDraft(owner, name, { typed, stamp, href: location.hash, title: document.querySelector("main h1")?.textContent });
    else if (wasTouched.current) dropDraft(owner, name);
    wasTouched.current = content !== null;
  }, [content]);
  useLayoutEffect(() => (isHeld ? hold(drop) : undefined), [isHeld]);
  useEffect(() => {
    if (refusal) /** @type {HTMLElement | null} */ (box.current?.querySelector('[aria-invalid="true"]'))?.focus();
  }, [refusal]);
  return {
    box,
    offer,
    isOfferOld: offer !== null && offer.stamp !== stamp,
    recover: () => {
      restore(offer.typed);
      setOffer(null);
    },
    discard: () => {
      dropDraft(owner, name);
      setOffer(null);
    },
    leave: (go) => (isHeld ? leave(go) : go()),
    saved: () => {
      drop();
      setTimeout(focusTitle); // once the form is gone
    },
  };
}

/** Begin the page anew for the keyboard where what had the focus is gone. */
export function focusTitle() {
  if (document.activeElement === document.body) /** @type {HTMLElement | null} */ (document.querySelector("main h1"))?.focus({ preventScroll: true });
}

/** Whether there is a draft, so that its page opens with the form. */
export const hasDraft = (service, name) => readDraft(service.owner(), name) !== null;

/**
 * What to do with a form that is sent: `send` where all that is needed is there, else the first field that lacks it has the focus.
 *
 * @param {(event: SubmitEvent) => void} send
 */
export const whenComplete = (send) => (event) => {
  event.preventDefault();
  const lacking = [...event.target.elements].filter((each) => each.validity?.valueMissing || each.validity?.badInput);
  for (const each of lacking) each.dispatchEvent(new Event("invalid")); // its field tells
  if (lacking.length) lacking[0].focus();
  else send(event);
};

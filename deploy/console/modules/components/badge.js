/** A few words that stand out: how something is. */
import { html } from "../html.js";

export function Badge({ kind = "", children }) {
  return html`<span class=${`badge ${kind}`}>${children}</span>`;
}

/**
 * A state, as every page shows one.
 *
 * @param {{of: string, words: {[state: string]: string[]}}} props `words`: a word for each state and its kind, such as `["Error", "bad"]`
 */
export function State({ of: state, words }) {
  const [text, kind] = words[state] ?? [state];
  return html`<${Badge} kind=${kind}>${text}<//>`;
}

/** What dialogs that send something have in common. */
import { asProblem } from "../../api/problem.js";
import { html, useState } from "../../html.js";

/** The buttons under a dialog, the one that acts told apart. */
export function foot(onClose, text, { isBusy = false, isDisabled = false, kind = "main" } = {}) {
  return html`<button type="button" onClick=${onClose}>Cancelar</button>
    <button type="submit" class=${kind} disabled=${isBusy || isDisabled}>${isBusy && html`<span class="busy"></span>`}${text}</button>`;
}

/** Send once, and show what came of it: the answer to `onDone`, a refusal in the dialog. */
export function useSending(onDone, onStale) {
  const [state, setState] = useState({ isBusy: false, problem: null });
  const submit = async (work) => {
    setState({ isBusy: true, problem: null });
    try {
      onDone(await work());
    } catch (error) {
      const problem = asProblem(error);
      if (problem.code === "stale_version") onStale?.();
      setState({ isBusy: false, problem });
    }
  };
  return { ...state, submit };
}

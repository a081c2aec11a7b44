/** What dialogs that send something have in common. */
import { Problem, asProblem } from "../../api/problem.js";
import { html, useState } from "../../html.js";
import { readNumber } from "../../numbers.js";

/** The buttons under a dialog, the one that acts told apart. */
export function foot(onClose, text, { isBusy = false, isDisabled = false, kind = "main" } = {}) {
  return html`<button type="button" onClick=${onClose}>Cancelar</button>
    <button type="submit" class=${kind} disabled=${isBusy || isDisabled}>${isBusy && html`<span class="busy"></span>`}${text}</button>`;
}

/** What was typed as quantities, given as `[path, text]`; a `Problem` with all faults where one can't be read. */
export function readQuantities(typed) {
  const read = typed.map(([path, text]) => ({ path, ...readNumber(text) }));
  const errors = read.filter(({ fault }) => fault).map(({ path, fault }) => ({ path, message: fault }));
  if (errors.length) throw new Problem({ code: "no_number", detail: "Corrija las cantidades. No se envió nada.", errors });
  return read.map(({ value }) => value);
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

/** What dialogs that send something have in common. */
import { Note } from "../../components/note.js";
import { ProblemNote } from "../../components/problem-note.js";
import { Problem, asProblem } from "../../api/problem.js";
import { html, useEffect, useRef, useState } from "../../html.js";
import { readNumber } from "../../numbers.js";
import { t } from "../../texts.js";

/** The buttons under a dialog, the one that acts told apart; it rests where it could only be refused again. */
export function foot(onClose, text, { isBusy = false, problem = null, isDisabled = false, kind = "main" } = {}) {
  return html`<button type="button" onClick=${onClose}>${t`Cancelar`}</button>
    <button type="submit" class=${kind} disabled=${isBusy || isStale(problem) || isDisabled}>${isBusy && html`<span class="busy"></span>`}${text}</button>`;
}

/** What was typed as quantities, given as `[path, text]`; a `Problem` with all faults where one can't be read. */
export function readQuantities(typed) {
  const read = typed.map(([path, text]) => ({ path, ...readNumber(text) }));
  const errors = read.filter(({ fault }) => fault).map(({ path, fault }) => ({ path, message: fault }));
  if (errors.length) throw new Problem({ code: "no_number", detail: t`Corrija las cantidades. No se envió nada.`, errors });
  return read.map(({ value }) => value);
}

/** What is at fault where somebody else was faster: only what is there now can be worked on. */
export const isStale = (problem) => problem?.code === "stale_version";

const BEGUN = { isBusy: false, problem: null, isRefreshed: false, failure: null };

/**
 * Send once, and show what came of it: the answer to `onDone`, a refusal in the dialog.
 *
 * @param {(answer: any) => void} onDone
 * @param {() => Promise<Problem | null>} [onRefresh] reads what is there now, and gives what went wrong
 */
export function useSending(onDone, onRefresh) {
  const [state, setState] = useState(BEGUN);
  const submit = async (work) => {
    setState({ ...BEGUN, isBusy: true });
    try {
      onDone(await work());
    } catch (error) {
      setState({ ...BEGUN, problem: asProblem(error) });
    }
  };
  const refresh = async () => {
    setState((now) => ({ ...now, isBusy: true }));
    const failure = await onRefresh();
    setState((now) => (failure ? { ...now, isBusy: false, failure } : { ...BEGUN, isRefreshed: true }));
  };
  return { ...state, submit, refresh };
}

/** What became of the last sending; where somebody else was faster, theirs is brought and what was typed stays. */
export function SendingNote({ sending }) {
  const box = useRef(null);
  useEffect(() => {
    if (sending.isRefreshed) box.current.closest("form").querySelector(".dialog-body :is(input, select, textarea), [type=submit]")?.focus(); // the button is gone
  }, [sending.isRefreshed]);
  if (sending.isRefreshed) return html`<div ref=${box}><${Note} kind="ok" live>${t`Esto es lo que hay ahora. Lo que usted escribió sigue aquí: compruébelo y guárdelo.`}<//></div>`;
  return html`<${ProblemNote} problem=${sending.problem}>
    ${sending.failure && html`<p>${t`No se pudo traer: ${sending.failure.detail}`}</p>`}
    ${isStale(sending.problem) && html`<div class="actions"><button type="button" disabled=${sending.isBusy} onClick=${sending.refresh}>${t`Traer lo nuevo`}</button></div>`}
  <//>`;
}

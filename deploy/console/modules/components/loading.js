/** Reading what a page shows, with its three outcomes. */
import { asProblem, Problem } from "../api/problem.js";
import { html, useCallback, useEffect, useRef, useState } from "../html.js";
import { t } from "../texts.js";
import { ProblemNote } from "./problem-note.js";
import { Waiting } from "./waiting.js";

const CANCELLED = () => new Problem({ code: "cancelled", detail: t`Se canceló la lectura. No se cambió nada.` });

/**
 * Read something when the page opens and whenever `reasons` change.
 *
 * What was shown stays while it is read anew. A newer question, and leaving the page, abort an older one.
 * `load` gives the problem that it met, or null; `cancel` gives up what is being read.
 *
 * @param {(signal: AbortSignal) => Promise<any>} read
 * @param {any[]} reasons
 */
export function useLoaded(read, reasons) {
  const [state, setState] = useState({ data: undefined, problem: null, isLoading: true });
  const asked = useRef(/** @type {AbortController | null} */ (null));
  const load = useCallback(async () => {
    const controller = new AbortController();
    asked.current?.abort();
    asked.current = controller;
    setState((now) => ({ ...now, isLoading: true }));
    try {
      const data = await read(controller.signal);
      if (asked.current === controller) setState({ data, problem: null, isLoading: false });
      return null;
    } catch (error) {
      const problem = error.name === "AbortError" ? CANCELLED() : asProblem(error);
      if (asked.current === controller) setState((now) => ({ ...now, problem, isLoading: false }));
      return problem;
    }
  }, reasons);
  useEffect(() => {
    load();
    return () => {
      asked.current?.abort();
      asked.current = null;
    };
  }, [load]);
  return { ...state, load, cancel: () => asked.current?.abort(), put: (data) => setState({ data, problem: null, isLoading: false }) };
}

/** @param {{from: any, children: (data: any) => any, low?: boolean, what?: string}} props `what`: the words while it is waited for */
export function Loaded({ from, children, low = false, what }) {
  return html`${from.problem && html`<${ProblemNote} problem=${from.problem} onRetry=${from.load} />`}
    ${from.data !== undefined ? children(from.data) : !from.problem && html`<${Waiting} low=${low} onCancel=${from.cancel}>${what}<//>`}`;
}

/** Reading what a page shows, with its three outcomes. */
import { asProblem } from "../api/problem.js";
import { html, useCallback, useEffect, useRef, useState } from "../html.js";
import { ProblemNote } from "./problem-note.js";
import { Waiting } from "./waiting.js";

/**
 * Read something when the page opens and whenever `reasons` change.
 *
 * What was shown stays while it is read anew. An answer that comes after a newer question is dropped.
 * `load` gives the problem that it met, or null.
 */
export function useLoaded(read, reasons) {
  const [state, setState] = useState({ data: undefined, problem: null, isLoading: true });
  const asked = useRef(0);
  const load = useCallback(async () => {
    const number = ++asked.current;
    setState((now) => ({ ...now, isLoading: true }));
    try {
      const data = await read();
      if (number === asked.current) setState({ data, problem: null, isLoading: false });
      return null;
    } catch (error) {
      const problem = asProblem(error);
      if (number === asked.current) setState((now) => ({ ...now, problem, isLoading: false }));
      return problem;
    }
  }, reasons);
  useEffect(() => {
    load();
    return () => {
      asked.current += 1;
    };
  }, [load]);
  return { ...state, load, put: (data) => setState({ data, problem: null, isLoading: false }) };
}

export function Loaded({ from, children, low = false }) {
  return html`${from.problem && html`<${ProblemNote} problem=${from.problem} onRetry=${from.load} />`}
    ${from.data !== undefined ? children(from.data) : !from.problem && html`<${Waiting} low=${low} />`}`;
}

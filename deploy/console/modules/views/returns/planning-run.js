/** Running a planning: its progress, its end, and what became of it. */
import { asProblem } from "../../api/problem.js";
import { runPlanning } from "../../api/returns.js";
import { useEffect, useLayoutEffect, useState } from "../../html.js";
import { GOES_ON } from "./outcome.js";
import { isStale } from "./sending.js";
import { outcomeOf } from "./sheet.js";

const LOOK_AGAIN_MS = 3000;
const AT_THE_START = { hechos: 0, total: 0, states: {} };

const withProgress = (run, progress) => ({
  ...run,
  ...progress,
  states: progress.documento ? { ...run.states, [progress.documento.docId]: progress.documento } : run.states,
});

/** @param {any} loaded the planning, as `useLoaded` reads it */
export function usePlanningRun(loaded) {
  const planning = loaded.data;
  const [run, setRun] = useState(null);
  const [before, setBefore] = useState(null); // the planning as it was before a run whose end is still open
  const [outcome, setOutcome] = useState(null); // of the last run, as it was at its end
  const [problem, setProblem] = useState(null);
  const isRunningElsewhere = planning?.estado === "en_proceso" && planning.acciones.length === 0 && run === null;
  useEffect(() => {
    if (!isRunningElsewhere) return undefined;
    const timer = setInterval(loaded.load, LOOK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      setProblem(null); // it was about the run that has ended now
    };
  }, [isRunningElsewhere]);
  const hasRun = before !== null && run === null && !isRunningElsewhere && !(problem && planning.version === before.version);
  useLayoutEffect(() => {
    if (!hasRun) return;
    setOutcome(outcomeOf(before.documentos, planning.documentos));
    setBefore(null);
  }, [hasRun]);
  const begin = (from) => {
    setProblem(null);
    setBefore(from);
    setOutcome(null);
  };
  const start = async (what, body) => {
    begin(planning);
    setRun(AT_THE_START);
    try {
      loaded.put(await runPlanning(planning.id, what, body, (progress) => setRun((now) => withProgress(now, progress))));
    } catch (error) {
      const found = asProblem(error);
      setProblem(found);
      if (!GOES_ON.includes(found.code)) setBefore(null);
      if (!isStale(found)) await loaded.load(); // a stale planning is read again when the person asks for it
    }
    setRun(null);
  };
  return { run, outcome, problem, setProblem, isRunningElsewhere, start, forget: () => begin(null) };
}

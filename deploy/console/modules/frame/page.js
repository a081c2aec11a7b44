/** The page of an address: loaded, caught where it fails. */
import { asProblem } from "../api/problem.js";
import { PageHead } from "../components/page.js";
import { ProblemNote } from "../components/problem-note.js";
import { Guard } from "../components/sign-in/guard.js";
import { Waiting } from "../components/waiting.js";
import { html, useEffect, useErrorBoundary, useState } from "../html.js";
import { loadPart } from "../page-module.js";
import { routeFor } from "../routes.js";
import { t } from "../texts.js";

/** The page, or that it failed: then everything around it still works. */
function Caught({ children }) {
  const [error, tryAgain] = useErrorBoundary();
  if (!error) return children;
  return html`<${PageHead} title=${t`Esta página falló`} /><${ProblemNote} problem=${asProblem(error)} onRetry=${tryAgain} />`;
}

export function Page({ at }) {
  const route = routeFor(at.segments);
  const [view, setView] = useState(null);
  const [problem, setProblem] = useState(null);
  const { load, name } = route;
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isWanted = true;
    const isAgain = problem !== null && tries > 0;
    setProblem(null);
    loadPart(load, { isAgain }).then(
      (module) => isWanted && setView({ component: module[name], load, name }),
      (error) => isWanted && setProblem(asProblem(error)),
    );
    return () => {
      isWanted = false;
    };
  }, [load, name, tries]);
  useEffect(() => {
    if (!problem) return undefined;
    const again = () => setTries(tries + 1);
    addEventListener("online", again);
    return () => removeEventListener("online", again);
  }, [problem]);
  if (problem) return html`<${PageHead} title=${t`Esta página no se pudo cargar`} /><${ProblemNote} problem=${problem} onRetry=${() => setTries(tries + 1)} />`;
  if (view?.load !== load || view.name !== name) return html`<${Waiting}>${t`Cargando la página…`}<//>`;
  const page = html`<${view.component} key=${at.segments.join("/")} params=${route.params} query=${at.query} />`;
  return html`<${Caught} key=${at.path}>${route.door ? html`<${Guard} name=${route.door}>${page}<//>` : page}<//>`;
}

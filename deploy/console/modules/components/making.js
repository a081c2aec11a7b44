/** A PDF that takes a while: how far it is, and a way to give it up. */
import { LEFT } from "../api/jobs.js";
import { asProblem } from "../api/problem.js";
import { html, useEffect, useRef, useState } from "../html.js";
import { t } from "../texts.js";
import { Progress } from "./progress.js";
import { say } from "./toasts.js";

const NOTHING = { isBusy: false, progress: null, problem: null, file: null };

/**
 * One PDF at a time: what came of the last one, how far the present one is.
 *
 * Whoever leaves the page leaves the job at work, followed by nobody; it is found under "Trabajos".
 */
export function useMaking() {
  const [state, setState] = useState(NOTHING);
  const abort = useRef(null);
  useEffect(() => () => abort.current?.abort(LEFT), []);
  const make = async (work) => {
    const controller = (abort.current = new AbortController());
    setState({ ...NOTHING, isBusy: true });
    const onProgress = (progress) => setState((now) => (now.isBusy ? { ...now, progress } : now));
    try {
      const file = await work({ onProgress, signal: controller.signal });
      setState({ ...NOTHING, file });
      say(t`Listo: ${file.name}.`);
    } catch (error) {
      if (controller.signal.reason === LEFT) return;
      if (error.name === "AbortError") {
        setState(NOTHING);
        say(t`Se canceló; no quedó ningún documento.`);
      } else setState({ ...NOTHING, problem: asProblem(error) });
    }
  };
  return { ...state, make, cancel: () => abort.current?.abort(), reset: (problem = null) => setState({ ...NOTHING, problem }) };
}

export function Making({ making }) {
  const { progress, isBusy, cancel } = making;
  if (!isBusy) return null;
  const several = progress?.total > 1;
  return html`<div class="stack tight">
    <${Progress} done=${several ? progress.done : 0} total=${several ? progress.total : 0}>
      ${several ? t`Hechos ${progress.done} de ${progress.total} documentos…` : t`Haciendo el PDF…`}
    <//>
    <div class="actions"><button type="button" class="small" onClick=${cancel}>${t`Cancelar el PDF`}</button>
      <span class="small muted">${t`Si deja esta página, se sigue haciendo y queda en`} <a href="#/trabajos">${t`Trabajos`}</a>.</span></div>
  </div>`;
}

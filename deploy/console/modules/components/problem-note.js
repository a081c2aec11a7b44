/** A problem, in the words of the service. */
import { plural } from "../formats.js";
import { html, useLayoutEffect, useState } from "../html.js";
import { t } from "../texts.js";
import { placeInWords } from "../titles.js";
import { clearToasts } from "./toasts.js";

const MOST_FAULTS = 20; // of a request, beneath each other

/** A problem in the words of the service: what its fields don't tell; what helps whoever is called for help, where one looks for it. */
export function ProblemNote({ problem, onRetry, titleAt, children }) {
  const [, drawAgain] = useState(0);
  const rest = problem?.unplaced ?? [];
  useLayoutEffect(() => {
    if (problem) clearToasts();
  }, [problem]);
  useLayoutEffect(() => {
    if (problem && problem.unplaced.length !== rest.length) drawAgain((times) => times + 1); // fields that are drawn after it
  });
  if (!problem) return null;
  const { upstream, body } = problem;
  const details = [body.write?.id && t`Operación ${body.write.id}`, problem.requestId && t`Petición ${problem.requestId}`, problem.code, upstream?.code && `ERP ${upstream.code}`].filter(Boolean);
  return html`<div class="note-box bad" role="alert">
    <strong>${problem.detail}</strong>
    ${rest.length > 0 &&
    html`<ul>
      ${rest.slice(0, MOST_FAULTS).map((each) => html`<li>${each.path && html`${placeInWords(each.path, titleAt) ?? html`<code>${each.path}</code>`}: `}${each.message}</li>`)}
      ${rest.length > MOST_FAULTS && html`<li>y ${plural(rest.length - MOST_FAULTS, t`falta más`, t`faltas más`)}</li>`}
    </ul>`}
    ${upstream?.message && html`<p>${t`El ERP dijo: ${upstream.message}`}</p>`}
    ${children}
    ${onRetry && html`<div class="actions"><button type="button" class="small" onClick=${onRetry}>${t`Intentar de nuevo`}</button></div>`}
    <${Details}>${details.join(" · ")}<//>
  </div>`;
}

/** Ids and codes: for whoever is called for help. */
export function Details({ children }) {
  return html`<details class="small"><summary>${t`Detalles`}</summary><span class="mono">${children}</span></details>`;
}

/** What a run came to. */
import { Note } from "../../components/note.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { DOCUMENT_STATES, wordOf } from "./words.js";

export const NAMED = 6; // in a note about items or documents
export const GOES_ON = ["stream_ended", "no_connection"]; // of these nobody knows what became of the work

/** The one note that says what a run came to. */
export function Outcome({ outcome, problem }) {
  const { text, kind, open } = outcome;
  return html`<${Note} kind=${kind} title=${text} live>
    ${problem && !GOES_ON.includes(problem.code) && html`<p>${problem.detail}</p>`}
    ${open.length > 0 && html`<ul>
      ${open.slice(0, NAMED).map((each) => html`<li key=${each.docId}>${each.proveedor || each.cardCode}: ${each.mensaje ?? wordOf(DOCUMENT_STATES, each.estado)[0]}</li>`)}
      ${open.length > NAMED && html`<li>${t`y ${open.length - NAMED} más, en la tabla`}</li>`}
    </ul>`}
    ${open.some(({ estado }) => estado === "error") && html`<p>${t`Corrija la causa y pulse «Reprocesar»: lo creado no se repite.`}</p>`}
  <//>`;
}

/** The tax documents of a planning, joined. */
import { Dialog } from "../../components/dialog.js";
import { Note } from "../../components/note.js";
import { ProblemNote } from "../../components/problem-note.js";
import { CheckField } from "../../components/fields.js";
import { Paper } from "../../components/paper.js";
import { asProblem } from "../../api/problem.js";
import { downloadPdf } from "../../api/returns.js";
import { plural } from "../../formats.js";
import { html, useEffect, useState } from "../../html.js";
import { t } from "../../texts.js";

export function PdfDialog({ planning, documents, onClose }) {
  const [wanted, setWanted] = useState({ cedible: false, parcial: false });
  const [state, setState] = useState({ file: null, problem: null, isBusy: true });
  useEffect(() => {
    let isWanted = true;
    setState({ file: null, problem: null, isBusy: true });
    downloadPdf(planning.id, wanted).then(
      (file) => isWanted && setState({ file, problem: null, isBusy: false }),
      (error) => isWanted && setState({ file: null, problem: asProblem(error), isBusy: false }),
    );
    return () => {
      isWanted = false;
    };
  }, [wanted]);
  const { file, problem, isBusy } = state;
  const omitted = file?.headers.get("X-Documentos-Omitidos");
  const nameOf = (id) => documents.find((each) => each.docId === id)?.proveedor ?? t`Documento ${id}`;
  return html`<${Dialog} large title=${t`Documentos tributarios de la planificación ${planning.numero}`} onClose=${onClose}>
    <${CheckField} label=${t`Copia cedible`} checked=${wanted.cedible} onInput=${(cedible) => setWanted({ ...wanted, cedible })} />
    ${isBusy && html`<p role="status" class="busy"> ${t`Reuniendo ${plural(documents.length, t`documento`, t`documentos`)}…`}</p>`}
    <${ProblemNote} problem=${problem} onRetry=${() => setWanted({ ...wanted })}>
      ${problem?.body.documentos?.length > 0 && html`<ul>
        ${problem.body.documentos.map((each) => html`<li>${typeof each === "number" ? nameOf(each) : `${nameOf(each.docId)}: ${each.message}`}</li>`)}
      </ul>`}
      ${problem?.code === "folio_missing" && html`<div class="actions"><button type="button" class="small" onClick=${() => setWanted({ ...wanted, parcial: true })}>${t`Ver los que ya tienen folio`}</button></div>`}
    <//>
    ${omitted && html`<${Note} kind="warn">${t`Sin folio todavía, y por eso fuera: ${omitted.split(", ").map((id) => nameOf(Number(id))).join("; ")}.`}<//>`}
    ${file && html`<${Paper} file=${file} title=${t`Documentos tributarios`} />`}
  <//>`;
}

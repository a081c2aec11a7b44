/** The documents of a planning, with their state while it runs. */
import { plural } from "../../formats.js";
import { html, useMemo } from "../../html.js";
import { t } from "../../texts.js";
import { DocumentsTable } from "./documents-table.js";
import { isGone, sheetOf } from "./sheet.js";

export function PlanningDocuments({ planning, states, extra, onPrint }) {
  const shown = useMemo(() => ({ ...planning, documentos: planning.documentos.map((document) => ({ ...document, ...states?.[document.docId] })) }), [planning, states]);
  const count = shown.documentos.filter((each) => !isGone(each)).length;
  const returnsItems = useMemo(() => sheetOf(planning).some((document) => !isGone(document) && document.parts.length > 0), [planning]);
  return html`<section class="panel flush">
    <header><h2>${plural(count, t`documento por proveedor`, t`documentos por proveedor`)}</h2>
      ${returnsItems && html`<button type="button" class="small" onClick=${onPrint}>${t`Imprimir lista de retiro`}</button>`}
    </header>
    <${DocumentsTable} planning=${shown} extra=${extra} />
  </section>`;
}

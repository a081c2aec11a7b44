/** The rows of a list as a table, with its pages and its files. */
import { exportRecords, keyOf } from "../../../api/records.js";
import { ExportButtons } from "../../../components/export-buttons.js";
import { ProblemNote } from "../../../components/problem-note.js";
import { Pager } from "../../../components/table/pager.js";
import { Table } from "../../../components/table/table.js";
import { plural } from "../../../formats.js";
import { html, useEffect, useState } from "../../../html.js";
import { t } from "../../../texts.js";
import { useCodeNames } from "../code-names.js";
import { filterOfKeys } from "./chosen-records.js";
import { PAGE } from "./list-request.js";
import { useListSums } from "./list-sums.js";
import { tableColumn } from "./table-column.js";

export function ListResults({ resource, offer, view, request, found, title, onPrint }) {
  const [problem, setProblem] = useState(null);
  const codes = useCodeNames([{ rows: found.value, fields: view.shown.slice(1) }], offer);
  const sums = useListSums(resource, request, view.shown, found);
  const total = found["odata.count"];
  const pages = Math.ceil(total / PAGE);
  useEffect(() => {
    if (pages > 0 && view.page > pages) view.turn(pages, { replace: true }); // an address with a page that there is no more
  }, [view.page, pages]);
  const isEmpty = request.filter ? t`Ningún registro cumple las condiciones. Quite alguna, o busque con menos palabras.` : emptyList(resource);
  const actions = (chosen) => html`${resource.screen && html`<button type="button" class="small" onClick=${() => onPrint(chosen)}>${t`Imprimir`}</button>`}
    ${resource.key.length === 1 && html`<${ExportButtons} onProblem=${setProblem} files=${[{ name: "elegidos", make: (format) => exportRecords(resource.name, { ...request.file, filter: filterOfKeys(resource, chosen) }, format) }]} />`}`;
  return html`<div class="pager above"><strong>${plural(total, t`registro`, t`registros`)}</strong>${sums.choice}${codes.choice}
      <span class="actions"><span>${t`Todos, con estas columnas:`}</span><${ExportButtons} onProblem=${setProblem}
        files=${[{ make: (format) => exportRecords(resource.name, { ...request.file, filter: request.filter }, format) }]} /></span>${sums.line}</div>
    <${ProblemNote} problem=${problem} />
    <${Table} key=${view.resets} kind="records" caption=${title} rows=${found.value} rowKey=${(row) => keyOf(resource, row)}
      columns=${view.shown.map((column, index) => tableColumn(column, index, resource, offer, codes.nameOf))} layout=${resource.name} total=${total > found.value.length ? t`Total de esta página` : undefined}
      sort=${view.by ? { key: view.by, down: view.way === "desc" } : undefined} onSort=${view.sort} isChoosable actions=${actions} empty=${isEmpty} />
    <${Pager} page=${view.page} pages=${pages} total=${total} onPage=${view.turn} />`;
}

const emptyList = (resource) => t`No hay registros.${resource.methods.includes("POST") ? t` Haga el primero con «Crear».` : ""}`;

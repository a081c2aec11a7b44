/** Running a query. */
import { exportQuery } from "../../api/gateway.js";
import { ProblemNote } from "../../components/problem-note.js";
import { Waiting } from "../../components/waiting.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { QueryRows, useRows } from "./query-rows.js";
import { ReportForm } from "./report-form.js";

/** What of a report or query can be had as a file beside its usual result. */
export function queryFiles(query, values) {
  return [{ make: async (format) => exportQuery(query.name, values(), format) }];
}

export function RunQuery({ kind, report, place }) {
  const rows = useRows(report);
  const { isBusy, problem, result } = rows;
  return html`<${ReportForm} report=${report} kind=${kind} prefix="params" word=${t`Consultar`} isBusy=${isBusy} problem=${problem} place=${place}
      onSubmit=${rows.ask} onProblem=${rows.tell}>
      <${ProblemNote} problem=${problem} />
      ${isBusy && !result && html`<${Waiting} onCancel=${rows.cancel}>${t`Consultando «${report.title}»…`}<//>`}
      <${QueryRows} rows=${rows} />
      ${!isBusy && !result && !problem && html`<p class="empty-note">${t`Complete los datos y consulte: el resultado aparece aquí.`}</p>`}
    <//>`;
}

/** One report or query: its form, and what comes of it beside it. */
import { ExportButtons } from "../../components/export-buttons.js";
import { Note, ProblemNote, Waiting } from "../../components/feedback.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Paper } from "../../components/paper.js";
import { ParameterFields, initialValues, normalParameters, sentValues } from "../../components/parameters.js";
import { Table } from "../../components/table.js";
import { asProblem } from "../../api/problem.js";
import { exportQuery, exportReport, listErpReports, listHtmlReports, listQueries, printHtmlReport, readHtmlReport, readQuery, runErpReport, runQuery } from "../../api/gateway.js";
import { plural } from "../../formats.js";
import { html, useMemo, useState } from "../../html.js";
import { write } from "../erp/values.js";

const KINDS = {
  html: { list: listHtmlReports, run: printHtmlReport, read: readHtmlReport, word: "Hacer el PDF", prefix: "values", files: reportFiles },
  erp: { list: listErpReports, run: runErpReport, word: "Hacer el PDF", prefix: "values" },
  consulta: { list: listQueries, run: runQuery, read: readQuery, word: "Consultar", prefix: "params", files: queryFiles },
};
const SHOWN_ROWS = 500;

/** What of a report or query can be had as a file beside its usual result. */
function queryFiles(query, values) {
  return [{ make: (format) => exportQuery(query.name, values(), format) }];
}

/** Its tables: all of them in one workbook, each by itself as CSV. */
function reportFiles({ code, tables }, values) {
  const make = (table) => (format) => exportReport(code, values(), format, table);
  if (tables.length < 2) return tables.map(() => ({ make: make() }));
  return [...tables.map(({ name, title }) => ({ make: make(name), name: title, formats: ["csv"] })), { make: make(), formats: ["xlsx"] }];
}

export function RunPage({ params }) {
  const kind = KINDS[params.kind];
  const found = useLoaded(async () => {
    const listed = (await kind.list()).find((each) => (each.code ?? each.name) === params.code) ?? null;
    const isWhole = !listed?.parameters.some((each) => each.input?.optionsFrom);
    return isWhole ? listed : kind.read(params.code); // its options are asked for where there are some
  }, [params.kind, params.code]);
  return html`<${PageHead} title=${found.data?.title ?? params.code} crumbs=${[["#/informes", "Informes y consultas"]]} />
    <${Loaded} from=${found}>
      ${(report) => report ? html`<${Run} kind=${kind} code=${params.code} report=${report} />` : html`<${Note} kind="warn">No existe, o sus permisos no lo alcanzan.<//>`}
    <//>`;
}

function Run({ kind, code, report }) {
  const parameters = normalParameters(report.parameters);
  const [values, setValues] = useState(() => initialValues(parameters));
  const [state, setState] = useState({ isBusy: false, problem: null, result: null });
  const submit = async (event) => {
    event.preventDefault();
    setState({ isBusy: true, problem: null, result: null });
    try {
      setState({ isBusy: false, problem: null, result: await kind.run(code, sentValues(parameters, values)) });
    } catch (error) {
      setState({ isBusy: false, problem: asProblem(error), result: null });
    }
  };
  const { isBusy, problem, result } = state;
  return html`<div class="beside">
    <form class="panel" novalidate onSubmit=${submit}><div class="stack">
      <${ParameterFields} parameters=${parameters} values=${values} onChange=${setValues} problem=${problem} prefix=${kind.prefix} />
      <div class="actions"><button type="submit" class="main" disabled=${isBusy}>${isBusy && html`<span class="busy"></span>`}${kind.word}</button>
        ${kind.files && html`<${ExportButtons} files=${kind.files(report, () => sentValues(parameters, values))} onProblem=${(told) => setState({ isBusy: false, problem: told, result: told ? null : result })} />`}</div>
    </div></form>
    <section class="stack" aria-label="Resultado" aria-live="polite">
      <${ProblemNote} problem=${problem} />
      ${isBusy && html`<${Waiting}>Trabajando…<//>`}
      ${result && (result.blob ? html`<div class="panel"><${Paper} file=${result} title=${report.title} /></div>` : html`<${Rows} result=${result} />`)}
      ${!isBusy && !result && !problem && html`<p class="empty-note">El resultado aparece aquí.</p>`}
    </section>
  </div>`;
}

/** Drawn once for each result, not with each key that is pressed in the form. */
function Rows({ result }) {
  return useMemo(() => drawnRows(result), [result]);
}

function drawnRows({ rows, truncated }) {
  const columns = Object.keys(rows[0] ?? {}).map((name, index) => ({
    key: name, title: name, head: index === 0, number: rows.some((row) => typeof row[name] === "number"), cell: (row) => write(row[name], undefined, name),
  }));
  return html`${truncated && html`<${Note} kind="warn">Hay más filas que las que se entregan; ponga condiciones más estrechas.<//>`}
    <div class="panel flush">
      <header><h2>${plural(rows.length, "fila", "filas")}</h2>${rows.length > SHOWN_ROWS && html`<span class="small muted">Se muestran las primeras ${SHOWN_ROWS}.</span>`}</header>
      <${Table} caption="Resultado" columns=${columns} rows=${rows.slice(0, SHOWN_ROWS)} rowKey=${(row) => rows.indexOf(row)} empty="Ninguna fila." />
    </div>`;
}

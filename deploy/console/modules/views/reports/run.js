/** One report or query: its form, and what comes of it beside it. */
import { asProblem } from "../../api/problem.js";
import { ExportButtons } from "../../components/export-buttons.js";
import { hrefTo } from "../../addresses.js";
import { DraftOffer, Note, ProblemNote, Waiting } from "../../components/feedback.js";
import { Form } from "../../components/form.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { Making, useMaking } from "../../components/making.js";
import { PageHead } from "../../components/page.js";
import { Paper } from "../../components/paper.js";
import { ParameterFields, addressOf, normalParameters, sentValues, valuesOf } from "../../components/parameters.js";
import { exportQuery, exportReport, listErpReports, listHtmlReports, listQueries, printHtmlReport, readHtmlReport, readQuery, runErpReport, showHtmlReport } from "../../api/gateway.js";
import { useForm } from "../../forms/form.js";
import { html, useState } from "../../html.js";
import { goTo } from "../../router.js";
import { t } from "../../texts.js";
import { gateway } from "../../session/gateway-session.js";
import { QueryRows, useRows } from "./query-rows.js";
import { Sheet } from "./sheet.js";

const NOTHING = { isBusy: false, problem: null, text: null };
const ON_SCREEN = "pantalla";

const KINDS = {
  html: { list: listHtmlReports, run: printHtmlReport, show: showHtmlReport, read: readHtmlReport, files: reportFiles },
  erp: { list: listErpReports, run: runErpReport },
  consulta: { list: listQueries, read: readQuery, files: queryFiles },
};

/** What of a report or query can be had as a file beside its usual result. */
function queryFiles(query, values) {
  return [{ make: async (format) => exportQuery(query.name, values(), format) }];
}

/** Its tables: all of them in one workbook, each by itself as CSV. */
function reportFiles({ code, tables }, values) {
  const make = (table) => async (format) => exportReport(code, values(), format, table);
  if (tables.length < 2) return tables.map(() => ({ make: make() }));
  return [...tables.map(({ name, title }) => ({ make: make(name), name: title, formats: ["csv"] })), { make: make(), formats: ["xlsx"] }];
}

export function RunPage({ params, query }) {
  const kind = Object.hasOwn(KINDS, params.kind) ? KINDS[params.kind] : null;
  const found = useLoaded(async () => {
    if (!kind) return null;
    const listed = (await kind.list()).find((each) => (each.code ?? each.name) === params.code) ?? null;
    const isWhole = !listed?.parameters.some((each) => each.input?.optionsFrom);
    return isWhole ? listed : kind.read(params.code); // its options are asked for where there are some
  }, [params.kind, params.code]);
  const Run = params.kind === "consulta" ? RunQuery : RunReport;
  return html`<${PageHead} title=${found.data?.title ?? params.code} crumbs=${[["#/informes", t`Informes y consultas`]]} />
    <${Loaded} from=${found}>
      ${(report) => report ? html`<${Run} kind=${kind} code=${params.code} report=${report} place=${{ segments: ["informes", params.kind, params.code], query }} />` : html`<${Note} kind="warn">${t`No existe, o sus permisos no lo alcanzan.`}<//>`}
    <//>`;
}

function RunReport({ kind, code, report, place }) {
  const making = useMaking();
  const [screen, setScreen] = useState(NOTHING);
  const { file } = making;
  const isBusy = making.isBusy || screen.isBusy;
  const problem = making.problem ?? screen.problem;
  const isEmpty = !isBusy && !file && !problem && screen.text === null;
  const print = (values) => {
    setScreen(NOTHING);
    making.make((how) => kind.run(code, values, how));
  };
  const show = async (values) => {
    making.reset();
    setScreen({ ...NOTHING, isBusy: true });
    try {
      const text = await kind.show(code, values);
      setScreen({ ...NOTHING, text });
    } catch (error) {
      setScreen({ ...NOTHING, problem: asProblem(error) });
    }
  };
  const tell = (told) => {
    setScreen(NOTHING);
    making.reset(told);
  };
  return html`<${ReportForm} report=${report} kind=${kind} prefix="values" word=${t`Hacer el PDF`} isBusy=${isBusy} problem=${problem} place=${place}
      onSubmit=${print} onShow=${kind.show && show} onProblem=${(told) => told && tell(told)}>
      <${ProblemNote} problem=${problem} />
      <${Making} making=${making} />
      ${screen.isBusy && html`<${Waiting}>${t`Trabajando…`}<//>`}
      ${screen.text !== null && html`<div class="panel"><${Sheet} text=${screen.text} title=${report.title} /></div>`}
      ${file && html`<div class="panel"><${Paper} file=${file} title=${report.title} /></div>`}
      ${isEmpty && html`<p class="empty-note">${t`Complete los datos y elija qué hacer: el resultado aparece aquí.`}</p>`}
    <//>`;
}

function RunQuery({ kind, report, place }) {
  const rows = useRows(report);
  const { isBusy, problem, result } = rows;
  return html`<${ReportForm} report=${report} kind=${kind} prefix="params" word=${t`Consultar`} isBusy=${isBusy} problem=${problem} place=${place}
      onSubmit=${rows.ask} onProblem=${rows.tell}>
      <${ProblemNote} problem=${problem} />
      ${isBusy && !result && html`<${Waiting}>${t`Trabajando…`}<//>`}
      <${QueryRows} rows=${rows} />
      ${!isBusy && !result && !problem && html`<p class="empty-note">${t`Complete los datos y consulte: el resultado aparece aquí.`}</p>`}
    <//>`;
}

/** The form on the left, what comes of it on the right. The address has what was last asked for. */
function ReportForm({ report, kind, place, prefix, word, isBusy, problem, onSubmit, onShow, onProblem, children }) {
  const parameters = normalParameters(report.parameters);
  const [values, setValues] = useState(() => valuesOf(parameters, place.query));
  const [used, setUsed] = useState(values); // what was last run or kept as a file: nothing of it is lost
  const form = useForm({
    service: gateway, name: `informe/${report.code ?? report.name}`, typed: values, isTouched: JSON.stringify(values) !== JSON.stringify(used),
    restore: (typed) => setValues({ ...values, ...typed }), refusal: problem,
  });
  const use = () => {
    const sent = sentValues(parameters, values);
    setUsed(values);
    goTo(hrefTo(place.segments, addressOf(parameters, values)), { replace: true });
    return sent;
  };
  const submit = (event) => {
    let sent;
    try {
      sent = use();
    } catch (error) {
      return onProblem(asProblem(error));
    }
    return event.submitter?.value === ON_SCREEN ? onShow(sent) : onSubmit(sent);
  };
  return html`<div class="beside">
    <${Form} box=${form.box} submitsOnEnter class="panel" onSubmit=${submit}><div class="stack">
      <${DraftOffer} form=${form} />
      <${ParameterFields} parameters=${parameters} values=${values} onChange=${setValues} problem=${problem} prefix=${prefix} />
      <div class="actions"><button type="submit" class="main" disabled=${isBusy}>${isBusy && html`<span class="busy"></span>`}${word}</button>
        ${onShow && html`<button type="submit" value=${ON_SCREEN} disabled=${isBusy}>${t`Ver en pantalla`}</button>`}
        ${kind.files && html`<${ExportButtons} files=${kind.files(report, use)} onProblem=${onProblem} />`}</div>
    </div><//>
    <section class="stack" aria-label=${t`Lo que resultó`}>${children}</section>
  </div>`;
}

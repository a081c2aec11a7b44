/** Running a report. */
import { exportReport } from "../../api/gateway.js";
import { asProblem } from "../../api/problem.js";
import { Making, useMaking } from "../../components/making.js";
import { Paper } from "../../components/paper.js";
import { ProblemNote } from "../../components/problem-note.js";
import { Waiting } from "../../components/waiting.js";
import { html, useRef, useState } from "../../html.js";
import { t } from "../../texts.js";
import { ReportForm } from "./report-form.js";
import { Sheet } from "./sheet.js";

const NOTHING = { isBusy: false, problem: null, text: null };

/** Its tables: all of them in one workbook, each by itself as CSV. */
export function reportFiles({ code, tables }, values) {
  const make = (table) => async (format) => exportReport(code, values(), format, table);
  if (tables.length < 2) return tables.map(() => ({ make: make() }));
  return [...tables.map(({ name, title }) => ({ make: make(name), name: title, formats: ["csv"] })), { make: make(), formats: ["xlsx"] }];
}

export function RunReport({ kind, code, report, place }) {
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
  const showing = useRef(/** @type {AbortController | null} */ (null));
  const hide = () => showing.current?.abort();
  const show = async (values) => {
    making.reset();
    showing.current = new AbortController();
    setScreen({ ...NOTHING, isBusy: true });
    try {
      const text = await kind.show(code, values, { signal: showing.current.signal });
      setScreen({ ...NOTHING, text });
    } catch (error) {
      setScreen(error.name === "AbortError" ? NOTHING : { ...NOTHING, problem: asProblem(error) });
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
      ${screen.isBusy && html`<${Waiting} onCancel=${hide}>${t`Haciendo «${report.title}»…`}<//>`}
      ${screen.text !== null && html`<div class="panel"><${Sheet} text=${screen.text} title=${report.title} /></div>`}
      ${file && html`<div class="panel"><${Paper} file=${file} title=${report.title} /></div>`}
      ${isEmpty && html`<p class="empty-note">${t`Complete los datos y elija qué hacer: el resultado aparece aquí.`}</p>`}
    <//>`;
}

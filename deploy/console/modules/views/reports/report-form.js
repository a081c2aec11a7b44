/** The form with the parameters of a report or query. */
import { hrefTo } from "../../addresses.js";
import { asProblem } from "../../api/problem.js";
import { DraftOffer } from "../../components/draft-offer.js";
import { ExportButtons } from "../../components/export-buttons.js";
import { Form } from "../../components/form.js";
import { ParameterFields } from "../../components/parameters/parameter-fields.js";
import { addressOf, normalParameters, sentValues, valuesOf } from "../../components/parameters/values.js";
import { useForm } from "../../forms/form.js";
import { html, useState } from "../../html.js";
import { goTo } from "../../router.js";
import { gateway } from "../../session/gateway-session.js";
import { t } from "../../texts.js";

const ON_SCREEN = "pantalla"; // the button that shows a report here

/** The form in a row above, what comes of it below across the page. The address has what was last asked for. */
export function ReportForm({ report, kind, place, prefix, word, isBusy, problem, onSubmit, onShow, onProblem, children }) {
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
  return html`<${Form} box=${form.box} submitsOnEnter class="panel asking" onSubmit=${submit}>
      <${DraftOffer} form=${form} />
      <${ParameterFields} parameters=${parameters} values=${values} onChange=${setValues} problem=${problem} prefix=${prefix} />
      <div class="actions"><button type="submit" class="main" disabled=${isBusy}>${isBusy && html`<span class="busy"></span>`}${word}</button>
        ${onShow && html`<button type="submit" value=${ON_SCREEN} disabled=${isBusy}>${t`Ver en pantalla`}</button>`}
        ${kind.files && html`<${ExportButtons} files=${kind.files(report, use)} onProblem=${onProblem} />`}</div>
    <//>
    <section class="stack" aria-label=${t`Lo que resultó`}>${children}</section>`;
}

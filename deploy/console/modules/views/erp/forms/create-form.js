/** The form of a new record; where the resource has lines with items, a document with its lines. */
import { hrefTo } from "../../../addresses.js";
import { createRecord, keyOf } from "../../../api/records.js";
import { DraftOffer } from "../../../components/draft-offer.js";
import { Form } from "../../../components/form.js";
import { say } from "../../../components/toasts.js";
import { useForm } from "../../../forms/form.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "../../../html.js";
import { goTo, lastAt } from "../../../router.js";
import { gateway } from "../../../session/gateway-session.js";
import { t } from "../../../texts.js";
import { headOf } from "../heads.js";
import { estimateOf } from "../totals.js";
import { EditBar } from "./edit-bar.js";
import { NewLines, readFields, readNewLines } from "./new-lines.js";
import { linesOf, meaningOf, sameTexts, withUnits } from "./row-shapes.js";
import { CURRENCY, DISCOUNT, itemsOf, NOTHING, takenOver, UNIT } from "./taken-over.js";
import { TypedField } from "./typed-inputs.js";
import { typedInLines } from "./typed-places.js";
import { faultsOfRefusal } from "./unknown-codes.js";
import { useWriting, WriteProblem } from "./writing.js";

const DOCUMENT_FIELDS = ["CardCode", "DocDate", "DocDueDate", "NumAtCard", "Comments"];

export function CreateForm({ resource, described, record, from }) {
  const generated = resource.key.length === 1 && resource.key[0].type === "integer" ? resource.key[0].name : null;
  const [hasLines] = useState(() => described.hasCollection("DocumentLines"));
  const [shape] = useState(() => linesOf(described));
  const names = hasLines ? [...DOCUMENT_FIELDS, ...[CURRENCY, DISCOUNT].filter((name) => record?.[name])] : resource.columns.map((column) => column.name).filter((name) => name !== generated);
  const columns = names.map((name) => described.fieldOf(name, record?.[name]));
  const [meaning] = useState(() => meaningOf(record ?? {}, itemsOf(record)));
  const lineColumns = [...shape.fresh, ...meaning.shown.map((name) => described.of(shape.name).fieldOf(name, itemsOf(record).find((line) => line[name])?.[name]))];
  const [start] = useState(() => (record && hasLines ? takenOver(record, columns, lineColumns, meaning) : NOTHING));
  const [texts, setTexts] = useState(start.texts);
  const [lines, setLines] = useState(start.lines);
  const [faults, setFaults] = useState({});
  const [found, setFound] = useState(null);
  const partner = found?.CardCode === texts.CardCode ? found : null;
  const writing = useWriting();
  const isFilled = !sameTexts({ texts, lines }, NOTHING);
  const isTouched = !sameTexts({ texts, lines }, start) || writing.intended.current.key !== null;
  const readLines = (faulty) => readNewLines(withUnits(lines), faulty, { columns: [...lineColumns, UNIT] });
  const form = useForm({
    service: gateway, name: ["crear", resource.name, from].filter(Boolean).join("/"), // what is typed over a copy is another draft
    typed: { texts, lines, intended: writing.intended.current },
    isTouched, isHeld: isTouched && !writing.mayBeDone,
    restore: (typed) => {
      setTexts(typed.texts);
      setLines(typed.lines);
      writing.intended.current = typed.intended;
    },
    refusal: Object.keys(faults).length ? faults : writing.problem,
  });
  useLayoutEffect(() => {
    const isFree = [document.body, document.querySelector("main h1")].includes(document.activeElement);
    if (isFree) /** @type {HTMLElement | null} */ (form.box.current.querySelector(".fields input, .fields select"))?.focus();
  }, []);
  const back = from ? hrefTo(["erp", resource.name, from]) : lastAt(hrefTo(["erp", resource.name]));
  const isHere = useRef(true);
  useEffect(() => () => void (isHere.current = false), []);

  const typed = () => [
    ...columns.map(({ name, lookup = null }) => ({ path: name, name, text: texts[name] ?? "", line: null, lookup })),
    ...(hasLines ? typedInLines(lines, lineColumns, { prefix: "new." }) : []),
  ];
  const submit = async () => {
    const faulty = {};
    const body = readFields(columns, texts, "", faulty);
    const written = readLines(faulty);
    setFaults(faulty);
    if (Object.keys(faulty).length) return;
    if (hasLines) body.DocumentLines = written;
    const { done, problem } = await writing.write(body, (idempotencyKey) => createRecord(resource.name, body, idempotencyKey));
    if (problem) return setFaults(await faultsOfRefusal(problem, typed()));
    form.saved();
    const key = keyOf(resource, done);
    if (isHere.current) goTo(hrefTo(["erp", resource.name, key]));
    say(t`${headOf(resource, done, key).title}: creado.`);
  };
  return html`<${Form} box=${form.box} class="stack" onSubmit=${submit}>
    <${DraftOffer} form=${form} />
    <section class="panel" aria-label=${t`Datos`}><div class="fields">
      ${columns.map((column) => html`<${TypedField} key=${column.name} column=${column} value=${texts[column.name] ?? ""} wide=${column.name === "Comments"} needed=${hasLines && column.name === "CardCode"} onFound=${column.name === "CardCode" ? setFound : undefined}
        fault=${faults[column.name] ?? writing.problem?.of(column.name)} onInput=${(text) => setTexts((now) => ({ ...now, [column.name]: text }))} />`)}
    </div></section>
    ${hasLines && html`<section class="panel" aria-labelledby="lines-title"><header><h2 id="lines-title">${shape.title}</h2></header>
      <${NewLines} priceList=${partner?.PriceListNum} columns=${lineColumns} lines=${lines} onChange=${setLines} faults=${faults} least=${1} />
    </section>`}
    <${WriteProblem} problem=${writing.problem} described=${described} />
    <${EditBar} who=${[partner?.CardName, texts.CardCode].filter(Boolean).join(" · ")} totals=${isFilled && hasLines ? estimateOf(readFields(columns, texts, "", {}), readLines({})) : null} isEstimate=${isFilled && hasLines} described=${described}>
      <button type="submit" class="main" disabled=${writing.isBusy}>${writing.isBusy && html`<span class="busy"></span>`}${t`Crear`}</button>
      <button type="button" onClick=${() => form.leave(() => goTo(back))}>${t`Cancelar`}</button>
    <//>
  <//>`;
}

/** A new record; where the resource has lines with items, a document with its lines. */
import { Loaded, useLoaded } from "../../../components/loading.js";
import { PageHead } from "../../../components/page.js";
import { DraftOffer, say } from "../../../components/feedback.js";
import { Form } from "../../../components/form.js";
import { createRecord, keyOf, notOffered, readDescription, readRecord, readResource } from "../../../api/records.js";
import { Problem } from "../../../api/problem.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "../../../html.js";
import { hrefTo } from "../../../addresses.js";
import { goTo, lastAt } from "../../../router.js";
import { t } from "../../../texts.js";
import { useForm } from "../../../forms/form.js";
import { gateway } from "../../../session/gateway-session.js";
import { EditBar } from "./edit-bar.js";
import { linesOf, meaningOf, sameTexts, withUnits } from "./row-shapes.js";
import { NewLines, readFields, readNewLines } from "./new-lines.js";
import { TypedField, asText } from "./typed-inputs.js";
import { estimateOf } from "../totals.js";
import { headOf, oneOf } from "../values.js";
import { typedInLines } from "./typed-places.js";
import { faultsOfRefusal } from "./unknown-codes.js";
import { WriteProblem, useWriting } from "./writing.js";

const DOCUMENT_FIELDS = ["CardCode", "DocDate", "DocDueDate", "NumAtCard", "Comments"];
const CURRENCY = "DocCurrency"; // prices that are taken over are in it
const UNIT = { name: "UoMEntry", type: "integer" }; // of a line; not on the screen, where it is a number without a name
const DISCOUNT = "DiscountPercent";
const TAKEN_OVER = ["CardCode", "Comments", CURRENCY, DISCOUNT];
/** @type {{texts: Record<string, string>, lines: Record<string, string>[]}} */
const NOTHING = { texts: {}, lines: [{}] };

/** The lines of a document that name an item: those that a new one can have, too. */
const itemsOf = (record) => (record?.DocumentLines ?? []).filter((line) => line.ItemCode);

/** What another document gives to a new one: for whom, in which currency, its items with quantities, prices, units and places. */
function takenOver(record, columns, lineColumns, { unitOf }) {
  const textsOf = (from, fields) => Object.fromEntries(fields.map(({ name, type }) => [name, asText(from[name], type)]));
  const lines = itemsOf(record).map((line) => ({ ...textsOf(line, lineColumns), [UNIT.name]: asText(unitOf(line), UNIT.type), takenItem: line.ItemCode }));
  return { texts: textsOf(record, columns.filter(({ name }) => TAKEN_OVER.includes(name))), lines: lines.length ? lines : NOTHING.lines };
}

/** @returns {Problem} */
const notCreatable = (resource) => new Problem({ code: "not_offered", detail: t`Sus permisos no alcanzan para crear en «${resource.title ?? resource.name}».` });

export function CreatePage({ params, query }) {
  const from = query.get("de");
  const loaded = useLoaded(async () => {
    const [resource, described] = await Promise.all([readResource(params.resource), readDescription(params.resource)]);
    if (!resource) throw notOffered(params.resource);
    if (!resource.methods.includes("POST")) throw notCreatable(resource);
    if (!described.isComplete) throw new Problem({ code: "not_described", detail: t`El ERP no dice ahora qué campos tiene este registro. No se ha cambiado nada.` });
    const record = from && resource ? (await readRecord(resource.name, from)).record : null;
    return { resource, described, record, from };
  }, [params.resource, from]);
  const resource = loaded.data?.resource;
  const crumbs = [["#/erp", t`Registros`], resource && [hrefTo(["erp", resource.name]), resource.title ?? resource.name]].filter(Boolean);
  return html`<${PageHead} title=${resource ? t`Crear: ${oneOf(resource)}` : t`Crear`} crumbs=${crumbs}
      about=${loaded.data?.record ? t`Copia de ${headOf(resource, loaded.data.record, from).title}. No se ha enviado nada.` : undefined} />
    <${Loaded} from=${loaded}>${(data) => html`<${CreateForm} key=${`${params.resource}/${from}`} ...${data} />`}<//>`;
}

function CreateForm({ resource, described, record, from }) {
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

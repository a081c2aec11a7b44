/** A new record; where the resource has lines with items, a document with its lines. */
import { Loaded, useLoaded } from "../../../components/loading.js";
import { PageHead } from "../../../components/page.js";
import { DraftOffer, say } from "../../../components/feedback.js";
import { createRecord, keyOf, readDescription, readResource } from "../../../api/records.js";
import { Problem } from "../../../api/problem.js";
import { html, useEffect, useRef, useState } from "../../../html.js";
import { hrefTo } from "../../../addresses.js";
import { goTo } from "../../../router.js";
import { useForm, whenComplete } from "../../../forms/form.js";
import { gateway } from "../../../session/gateway-session.js";
import { linesOf } from "./row-shapes.js";
import { NewLines, readFields, readNewLines } from "./new-lines.js";
import { TypedField } from "./typed-inputs.js";
import { oneOf } from "../names.js";
import { WriteProblem, useWriting } from "./writing.js";

const DOCUMENT_FIELDS = ["CardCode", "DocDate", "DocDueDate", "NumAtCard", "Comments"];

export function CreatePage({ params }) {
  const loaded = useLoaded(async () => {
    const [resource, described] = await Promise.all([readResource(params.resource), readDescription(params.resource)]);
    if (resource && !described.isComplete) throw new Problem({ code: "not_described", detail: "El ERP no dice ahora qué campos tiene este registro. No se ha cambiado nada." });
    return { resource, described };
  }, [params.resource]);
  const resource = loaded.data?.resource;
  const crumbs = [["#/erp", "Registros"], resource && [hrefTo(["erp", resource.name]), resource.title ?? resource.name]].filter(Boolean);
  return html`<${PageHead} title=${resource ? `Crear: ${oneOf(resource)}` : "Crear"} crumbs=${crumbs} />
    <${Loaded} from=${loaded}>${(data) => html`<${CreateForm} ...${data} />`}<//>`;
}

function CreateForm({ resource, described }) {
  const generated = resource.key.length === 1 && resource.key[0].type === "integer" ? resource.key[0].name : null;
  const [hasLines] = useState(() => described.hasCollection("DocumentLines"));
  const [shape] = useState(() => linesOf(described));
  const names = hasLines ? DOCUMENT_FIELDS : resource.columns.map((column) => column.name).filter((name) => name !== generated);
  const columns = names.map((name) => described.fieldOf(name));
  const [texts, setTexts] = useState({});
  const [lines, setLines] = useState([{}]);
  const [faults, setFaults] = useState({});
  const writing = useWriting();
  const isTouched = [texts, ...lines].some((typed) => Object.values(typed).some((text) => text.trim() !== ""));
  const form = useForm({
    service: gateway, name: `crear/${resource.name}`,
    typed: { texts, lines, intended: writing.intended.current },
    isTouched, isHeld: isTouched && !writing.mayBeDone,
    restore: (typed) => {
      setTexts(typed.texts);
      setLines(typed.lines);
      writing.intended.current = typed.intended;
    },
    refusal: Object.keys(faults).length ? faults : writing.problem,
  });
  const isHere = useRef(true);
  useEffect(() => () => void (isHere.current = false), []);

  const submit = async () => {
    const found = {};
    const body = readFields(columns, texts, "", found);
    const written = readNewLines(lines, found, { columns: shape.fresh });
    setFaults(found);
    if (Object.keys(found).length) return;
    if (hasLines) body.DocumentLines = written;
    const { done } = await writing.write(body, (idempotencyKey) => createRecord(resource.name, body, idempotencyKey));
    if (!done) return;
    form.saved();
    say("Creado.");
    if (isHere.current) goTo(hrefTo(["erp", resource.name, keyOf(resource, done)]));
  };
  return html`<form ref=${form.box} class="stack" novalidate onSubmit=${whenComplete(submit)}>
    <${DraftOffer} form=${form} />
    <section class="panel" aria-label="Datos"><div class="fields">
      ${columns.map((column) => html`<${TypedField} key=${column.name} column=${column} value=${texts[column.name] ?? ""} wide=${column.name === "Comments"} needed=${hasLines && column.name === "CardCode"}
        fault=${faults[column.name] ?? writing.problem?.of(column.name)} onInput=${(text) => setTexts((now) => ({ ...now, [column.name]: text }))} />`)}
    </div></section>
    ${hasLines && html`<section class="panel" aria-labelledby="lines-title"><header><h2 id="lines-title">${shape.title}</h2></header>
      <${NewLines} columns=${shape.fresh} lines=${lines} onChange=${setLines} faults=${faults} least=${1} />
    </section>`}
    <${WriteProblem} problem=${writing.problem} described=${described} />
    <div class="actions"><button type="submit" class="main" disabled=${writing.isBusy}>${writing.isBusy && html`<span class="busy"></span>`}Crear</button></div>
  </form>`;
}

/** A record that is being made: what was typed, its draft, and sending it. */
import { hrefTo } from "../../../addresses.js";
import { createRecord, keyOf } from "../../../api/records.js";
import { say } from "../../../components/toasts.js";
import { useForm } from "../../../forms/form.js";
import { useEffect, useRef, useState } from "../../../html.js";
import { goTo } from "../../../router.js";
import { gateway } from "../../../session/gateway-session.js";
import { t } from "../../../texts.js";
import { headOf } from "../heads.js";
import { BASES, withBases } from "./based-lines.js";
import { readFields, readNewLines } from "./read-fields.js";
import { sameTexts, withUnits } from "./row-shapes.js";
import { NOTHING, UNIT } from "./taken-over.js";
import { typedInLines } from "./typed-places.js";
import { faultsOfRefusal } from "./unknown-codes.js";
import { useWriting } from "./writing.js";

const isEmpty = (object) => Object.keys(object).length === 0;

/**
 * @param {object} options
 * @param {any} options.resource
 * @param {any[]} options.columns of the record
 * @param {any[] | null} options.lineColumns of its lines; null where it has none
 * @param {{texts: Record<string, string>, lines: Record<string, string>[]}} options.start what the form opens with
 * @param {string | null} options.from what it is a copy of, as the name of its draft
 * @param {(header: any, lines: any[]) => any} [options.bodyOf] what is sent
 */
export function useCreation({ resource, columns, lineColumns, start, from, bodyOf = lineColumns ? (header, lines) => ({ ...header, DocumentLines: lines }) : (header) => header }) {
  const [texts, setTexts] = useState(start.texts);
  const [lines, setLines] = useState(start.lines);
  const [faults, setFaults] = useState({});
  const writing = useWriting();
  const isTouched = !sameTexts({ texts, lines }, start) || writing.intended.current.key !== null;
  const form = useForm({
    service: gateway, name: ["crear", resource.name, from].filter(Boolean).join("/"), // a copy has a draft of its own
    typed: { texts, lines, intended: writing.intended.current },
    isTouched, isHeld: isTouched && !writing.mayBeDone,
    restore: (typed) => {
      setTexts(typed.texts);
      setLines(typed.lines);
      writing.intended.current = typed.intended;
    },
    refusal: isEmpty(faults) ? writing.problem : faults,
  });
  const isHere = useRef(true);
  useEffect(() => () => void (isHere.current = false), []);
  const readLines = (found) => (lineColumns ? readNewLines(withBases(withUnits(lines)), found, { columns: [...lineColumns, UNIT, ...BASES] }) : []);
  const typed = () => [
    ...columns.map(({ name, lookup = null }) => ({ path: name, name, text: texts[name] ?? "", line: null, lookup })),
    ...(lineColumns ? typedInLines(lines, lineColumns, { prefix: "new." }) : []),
  ];
  const finish = (done) => {
    form.saved();
    const key = keyOf(resource, done);
    if (isHere.current) goTo(hrefTo(["erp", resource.name, key]));
    say(t`${headOf(resource, done, key).title}: creado.`);
  };
  const submit = async () => {
    const found = {};
    const body = bodyOf(readFields(columns, texts, "", found), readLines(found));
    setFaults(found);
    if (!isEmpty(found)) return;
    const { done, problem } = await writing.write(body, (idempotencyKey) => createRecord(resource.name, body, idempotencyKey));
    if (problem) setFaults(await faultsOfRefusal(problem, typed()));
    else finish(done);
  };
  return {
    form, writing, texts, lines, setLines, submit,
    faults, faultOf: (name) => faults[name] ?? writing.problem?.of(name),
    type: (name) => (text) => setTexts((now) => ({ ...now, [name]: text })),
    isFilled: !sameTexts({ texts, lines }, NOTHING),
    read: () => ({ header: readFields(columns, texts, "", {}), lines: readLines({}) }),
  };
}

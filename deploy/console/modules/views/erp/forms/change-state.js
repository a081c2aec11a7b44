/** A record that is being changed: what was typed, what differs, and sending it. */
import { useForm } from "../../../forms/form.js";
import { useState } from "../../../html.js";
import { gateway } from "../../../session/gateway-session.js";
import { useLines } from "./changed-lines.js";
import { collectChanges } from "./collect-changes.js";
import { shapesOf } from "./row-shapes.js";
import { sendChange } from "./send-change.js";
import { asText } from "./typed-values.js";
import { typedInLines } from "./typed-places.js";
import { faultsOfRefusal } from "./unknown-codes.js";
import { useWriting } from "./writing.js";

const DOCUMENT_FIELDS = ["DocDueDate", "NumAtCard", "Comments"];

export const changeName = (resource, key) => `cambiar/${resource}/${key}`;

/** The fields that a change form opens with. */
function firstNames(resource, record, shapes) {
  if (shapes.some((shape) => shape.number === "LineNum")) return DOCUMENT_FIELDS.filter((name) => name in record);
  const keyNames = resource.key.map((part) => part.name);
  return resource.columns.map((column) => column.name).filter((name) => !keyNames.includes(name));
}

const isEmpty = (object) => Object.keys(object).length === 0;

/** @param {{resource: any, described: any, recordKey: string, record: any, etag: string | null, onDone: () => void, onReload: () => void}} options */
export function useChange({ resource, described, recordKey, record, etag, onDone, onReload }) {
  const [shapes] = useState(() => shapesOf(record, described)); // as many as at first: each has its hooks
  const collections = shapes.map(useLines);
  const [names, setNames] = useState(() => firstNames(resource, record, shapes));
  const [texts, setTexts] = useState({});
  const [faults, setFaults] = useState({});
  const [conflict, setConflict] = useState(null);
  const writing = useWriting();
  const columnOf = (name) => described.fieldOf(name, record[name]);
  const collected = collectChanges({ texts, columnOf, collections }, record);
  const isUnchanged = isEmpty(collected.changes) && isEmpty(collected.found);
  const form = useForm({
    service: gateway, name: changeName(resource.name, recordKey), stamp: etag,
    typed: { texts, names, rows: Object.fromEntries(collections.map((each) => [each.shape.name, each.typed])), intended: writing.intended.current },
    isTouched: !isUnchanged, isHeld: !isUnchanged && !writing.mayBeDone,
    restore: (typed) => {
      setTexts(typed.texts);
      setNames(typed.names);
      for (const each of collections) if (typed.rows[each.shape.name]) each.restore(typed.rows[each.shape.name]);
      writing.intended.current = typed.intended;
    },
    refusal: isEmpty(faults) ? writing.problem : faults,
  });
  const end = (go) => {
    form.saved();
    go();
  };
  const typed = () => [
    ...Object.entries(texts).map(([name, text]) => ({ path: name, name, text, line: null, lookup: columnOf(name).lookup })),
    ...collections.flatMap(({ shape, added }) => typedInLines(added, shape.fresh, { prefix: `${shape.name}.new.`, before: record[shape.name]?.length ?? 0 })),
  ];
  /** Send a change over the version `over`. */
  const submit = async ({ changes, replaces, resizes }, over) => {
    const { done, problem } = await writing.write({ changes, replaces, over }, (idempotencyKey) => sendChange(resource, recordKey, { changes, replaces, resizes }, { etag: over, idempotencyKey }));
    if (problem) return setFaults(await faultsOfRefusal(problem, typed()));
    if (done) setConflict(done);
    else end(onDone);
  };
  const send = () => {
    setFaults(collected.found);
    if (isEmpty(collected.found)) submit(collected, etag);
  };
  const merge = (change) => (isEmpty(change.changes) ? end(onReload) : submit(change, conflict.etag));
  return {
    form, writing, collections, collected, isUnchanged, faults, conflict, send, merge, end, names, columnOf,
    textOf: (name) => texts[name] ?? asText(record[name], columnOf(name).type),
    type: (name) => (text) => setTexts((now) => ({ ...now, [name]: text })),
    addName: (name) => name && setNames([...names, name]),
    closeConflict: () => setConflict(null),
  };
}

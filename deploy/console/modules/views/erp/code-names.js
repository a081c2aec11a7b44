/** What the records are called that codes stand for: read when somebody wants to see it, and from then on, until they don't. */
import { CheckField } from "../../components/fields.js";
import { ProblemNote } from "../../components/problem-note.js";
import { useLoaded } from "../../components/loading.js";
import { listRecords } from "../../api/records.js";
import { html, useState } from "../../html.js";
import { literalOf } from "../../finding/conditions.js";
import { keepLayout, readLayout } from "../../preferences.js";
import { t } from "../../texts.js";
import { targetOf } from "./value.js";

const LAYOUT = "codigos";
const AT_ONCE = 40; // conditions of one read
const BESIDE = { ItemName: "ItemDescription" }; // what lines of documents call it

const nameKey = (resource, code) => `${resource}/${code}`;

/** @returns {{target: any, shows: string, codes: Set<any>}[]} what may be asked for, by resource */
function askedOf(groups, offer) {
  const asked = new Map();
  for (const { rows, fields } of groups) {
    for (const field of fields) {
      const target = targetOf(field, offer);
      if (!target || target.key.length !== 1) continue;
      const [shows] = field.lookup.shows;
      const { codes } = asked.get(target.name) ?? asked.set(target.name, { target, shows, codes: new Set() }).get(target.name);
      for (const { [field.name]: code, ...row } of rows) {
        const isNamed = shows in row || BESIDE[shows] in row;
        if (!isNamed && code !== null && code !== undefined && code !== "") codes.add(code);
      }
    }
  }
  return [...asked.values()].filter(({ codes }) => codes.size > 0);
}

async function readNames({ target, shows, codes }) {
  const [key] = target.key;
  const all = [...codes];
  const parts = Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, at) => all.slice(at * AT_ONCE, (at + 1) * AT_ONCE));
  const read = await Promise.all(parts.map((some) => listRecords(target.name, {
    select: `${key.name},${shows}`, filter: some.map((code) => `${key.name} eq ${literalOf(key, String(code))}`).join(" or "), top: AT_ONCE,
  })));
  return read.flatMap(({ value }) => value).map((row) => /** @type {[string, string]} */ ([nameKey(target.name, row[key.name]), row[shows]]));
}

/** Names of one kind don't wait for those of another that can't be read. */
async function readAll(wanted) {
  const read = await Promise.allSettled(wanted.map(readNames));
  const names = read.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  const refused = read.find((each) => each.status === "rejected");
  if (refused && !names.length) throw refused.reason;
  return names;
}

/**
 * @param {{rows: object[], fields: any[]}[]} groups what is shown: rows, and what is known of their fields
 * @returns {{nameOf: (field: any, value: unknown) => string | undefined, choice: any}} `choice`: whether names are wanted; nothing where there is no code
 */
export function useCodeNames(groups, offer) {
  const [isWanted, setWanted] = useState(() => readLayout(LAYOUT).named === true);
  const wanted = askedOf(groups, offer);
  const question = JSON.stringify(wanted.map(({ target, codes }) => [target.name, ...codes]));
  const found = useLoaded(async () => new Map(isWanted ? await readAll(wanted) : []), [isWanted, question]);
  const choose = (isOn) => {
    keepLayout(LAYOUT, { named: isOn || undefined });
    setWanted(isOn);
  };
  return {
    nameOf: (field, value) => (isWanted && field.lookup ? found.data?.get(nameKey(field.lookup.resource, value)) : undefined),
    choice: wanted.length > 0 && html`<${CheckField} label=${t`Con los nombres de los códigos`} checked=${isWanted} onInput=${choose} /><${ProblemNote} problem=${found.problem} onRetry=${found.load} />`,
  };
}

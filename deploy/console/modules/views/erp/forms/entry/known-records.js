/** Records that the codes in a form stand for: those that were offered while typing, and others read by their code. */
import { listRecords, readOffer } from "../../../../api/records.js";
import { literalOf } from "../../../../finding/conditions.js";
import { useEffect, useRef, useState } from "../../../../html.js";

const AT_ONCE = 40; // codes in one filter
const OFFERED_WITHIN_MS = 600; // the list under the field may bring the record first
const slot = (code) => code.trim().toUpperCase();

async function readByCode({ resource, shows }, codes) {
  const { items } = await readOffer();
  const target = items.find((each) => each.name === resource && each.key.length === 1 && each.methods.includes("GET"));
  if (!target) return null;
  const [key] = target.key;
  const parts = Array.from({ length: Math.ceil(codes.length / AT_ONCE) }, (_, at) => codes.slice(at * AT_ONCE, (at + 1) * AT_ONCE));
  const read = await Promise.all(parts.map((some) => listRecords(resource, {
    select: [key.name, ...shows].join(","), filter: some.map((code) => `${key.name} eq ${literalOf(key, code)}`).join(" or "), top: AT_ONCE,
  })));
  return read.flatMap(({ value }) => value).map((record) => /** @type {[string, any]} */ ([slot(String(record[key.name])), record]));
}

/**
 * @param {{resource: string, shows: string[]} | null} lookup
 * @param {[string, any][]} atFirst records that are known before anything is typed, by their codes
 * @returns {{of: (code: string | undefined) => any, note: (code: string, record: any) => void, look: (codes: string[]) => void}} `of`: the record of a
 *   code, null where the ERP has none, undefined as long as it was not read; `look` reads those that are not known a little later
 */
export function useKnownRecords(lookup, atFirst = []) {
  const [known, setKnown] = useState(() => new Map(atFirst.map(([code, record]) => [slot(code), record])));
  const asked = useRef(new Set());
  const latest = useRef(known);
  latest.current = known;
  const timers = useRef(new Set());
  useEffect(() => () => [...timers.current].forEach(clearTimeout), []);
  const add = (entries) => setKnown((now) => new Map([...now, ...entries]));
  const read = async (codes) => {
    const missing = [...new Set(codes.map((code) => (code ?? "").trim()).filter(Boolean))].filter((code) => !latest.current.has(slot(code)) && !asked.current.has(slot(code)));
    if (!lookup || !missing.length) return;
    for (const code of missing) asked.current.add(slot(code));
    try {
      const found = await readByCode(lookup, missing);
      if (found) add([...missing.map((code) => [slot(code), null]), ...found]);
    } catch {
      for (const code of missing) asked.current.delete(slot(code)); // it only helps to type: the next look tries again
    }
  };
  return {
    of: (code) => (code?.trim() ? known.get(slot(code)) : undefined),
    note: (code, record) => known.get(slot(code)) !== record && add([[slot(code), record]]),
    look: (codes) => void timers.current.add(setTimeout(() => read(codes), OFFERED_WITHIN_MS)),
  };
}

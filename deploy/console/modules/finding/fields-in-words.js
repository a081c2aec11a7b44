/** Which field words begin with, and what they say of it. Pure. */
import { t } from "../texts.js";
import { OPERATORS } from "./conditions.js";
import { plain } from "./spellings.js";

const SAID = {
  ne: [t`no es`, "≠", "<>", "!="], ge: [t`desde`, "≥", ">="], le: [t`hasta`, "≤", "<="], gt: [">"], lt: ["<"], contains: [t`contiene`], startswith: [t`empieza con`],
  eq: [t`el día`, t`es`, "=", ":"], in: [t`en`, ":"],
};

/** The field that the words begin with, and what follows. */
export function fieldIn(words, columns) {
  const compared = plain(words);
  const begins = ({ title }) => compared.startsWith(plain(title)) && !/^[\p{L}\p{N}]/u.test(words.slice(title.length));
  const column = columns.filter(begins).sort((one, other) => other.title.length - one.title.length)[0];
  return { column, rest: column ? words.slice(column.title.length) : "" };
}

/** What stands between a field and its value, and whether they are meant as such: a word may follow that names somebody. */
export function operatorIn(column, rest) {
  const codes = OPERATORS[column.type].map(([code]) => code);
  const said = codes.flatMap((code) => SAID[code].map((word) => ({ code, word }))).sort((one, other) => other.word.length - one.word.length);
  const isSaid = ({ word }) => plain(rest).startsWith(plain(word)) && !(/\p{L}$/u.test(word) && /^[\p{L}\p{N}]/u.test(rest.slice(word.length)));
  const found = said.find(isSaid);
  const isNone = !found || found.word === ":"; // which only parts the field from what follows
  const value = (found ? rest.slice(found.word.length) : rest).trim();
  return { operator: isNone ? null : found.code, value, isMeant: found !== undefined || /^-?\d/.test(value) };
}

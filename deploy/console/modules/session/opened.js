/** What a person opened last, as links: an address and the title that stood there. In this tab alone, gone with the sign-out. */
import { keepDraft, readDraft } from "../forms/drafts.js";

const NAME = "abiertos";
const MOST = 8;

/** @typedef {{href: string, title: string, at: number}} Opened */

/** @returns {Opened[]} of these people, the newest first */
export const readOpened = (people) => people.flatMap(of).sort((one, other) => other.at - one.at).slice(0, MOST);

/** Note the page of a record. */
export function noteOpened(person, path, title) {
  const others = of(person).filter(({ href }) => href !== `#${path}`);
  keepDraft(person, NAME, { typed: [{ href: `#${path}`, title, at: Date.now() }, ...others].slice(0, MOST) });
}

const of = (person) => readDraft(person, NAME)?.typed ?? [];

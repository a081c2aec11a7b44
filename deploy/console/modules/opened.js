/** What a person opened last, as links: an address and the title that stood there. In this tab alone, gone with the sign-out. */
import { keepDraft, readDraft } from "./forms/drafts.js";
import { routeFor } from "./routes.js";
import { DOORS } from "./session/doors.js";

const NAME = "abiertos";
const MOST = 8;

/** @typedef {{href: string, title: string, at: number}} Opened */

/** @returns {Opened[]} of everybody who is signed in, the newest first */
export function readOpened() {
  const people = Object.values(DOORS).map((door) => door.service.person());
  return people.flatMap((person) => (person ? of(person) : [])).sort((one, other) => other.at - one.at).slice(0, MOST);
}

/** Note the page of a record. */
export function noteOpened({ path, segments }, title) {
  const person = DOORS[routeFor(segments).door].service.person();
  const others = of(person).filter(({ href }) => href !== `#${path}`);
  keepDraft(person, NAME, { typed: [{ href: `#${path}`, title, at: Date.now() }, ...others].slice(0, MOST) });
}

const of = (person) => readDraft(person, NAME)?.typed ?? [];

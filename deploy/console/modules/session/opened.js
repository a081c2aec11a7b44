/** What a person opened last, as links: an address and the title that stood there. In this tab alone, gone with the sign-out. */
import { ownName } from "../root.js";

const MOST = 8;

/** @typedef {{href: string, title: string, at: number}} Opened */

const keyOf = (person) => `${ownName("consola.abiertos")}/${encodeURIComponent(person)}`;

/** @returns {Opened[]} of these people, the newest first */
export const readOpened = (people) => people.flatMap(of).sort((one, other) => other.at - one.at).slice(0, MOST);

/** Note the page of a record. */
export function noteOpened(person, path, title) {
  const others = of(person).filter(({ href }) => href !== `#${path}`);
  try {
    sessionStorage.setItem(keyOf(person), JSON.stringify([{ href: `#${path}`, title, at: Date.now() }, ...others].slice(0, MOST)));
  } catch {
    // no room: the page is found all the same
  }
}

export const dropOpened = (person) => sessionStorage.removeItem(keyOf(person));

/** @returns {Opened[]} */
function of(person) {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(person))) ?? [];
  } catch {
    return [];
  }
}

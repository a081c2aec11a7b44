/** What a person opened last, as links: an address, its title, and a note such as customer and amount. In this tab alone, gone with the sign-out. */
import { tabStore } from "../kept.js";
import { ownName } from "../root.js";

const MOST = 8;

/** @typedef {{href: string, title: string, note?: string, at: number}} Opened */

/** @typedef {{base: string, person: () => string}} Service whose session it was: one name may be in both */

const keyOf = ({ base, person }) => [ownName("consola.abiertos"), base, person()].map(encodeURIComponent).join("/");

/**
 * @param {Service[]} services
 * @returns {Opened[]} of the people in them, the newest first
 */
export const readOpened = (services) => services.flatMap(of).sort((one, other) => other.at - one.at).slice(0, MOST);

/** Note the page of a record. @param {Service} service */
export function noteOpened(service, path, title, note = "") {
  const others = of(service).filter(({ href }) => href !== `#${path}`);
  try {
    tabStore.setItem(keyOf(service), JSON.stringify([{ href: `#${path}`, title, note, at: Date.now() }, ...others].slice(0, MOST)));
  } catch {
    // no room: the page is found all the same
  }
}

/** @param {Service} service */
export const dropOpened = (service) => tabStore.removeItem(keyOf(service));

/** @param {Service} service @returns {Opened[]} */
function of(service) {
  try {
    return JSON.parse(tabStore.getItem(keyOf(service))) ?? [];
  } catch {
    return [];
  }
}

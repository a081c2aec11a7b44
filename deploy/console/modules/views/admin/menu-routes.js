/** Menu routes as what they allow: patterns of permissions against what the installation knows. Pure. */
import { sortedAreas } from "../../titles.js";

export const EVERYTHING = "*";
const BRANCH = "/*";

/**
 * @typedef {{kind: string, title: string, read: string | null, write: string | null}} Known what asks for a menu route
 * @typedef {object} Screen what is read and written by the same routes
 * @property {string} path where it stands in the tree
 * @property {Known[]} known
 * @property {string | null} read
 * @property {string[]} writes
 */

/** Whether a pattern allows a route. */
export const allows = (pattern, route) =>
  pattern === EVERYTHING || pattern === route || (pattern.endsWith(BRANCH) && `${route}/`.startsWith(pattern.slice(0, -1)));

export const isGiven = (patterns, route) => patterns.some((pattern) => allows(pattern, route));

const above = (route) => route.slice(0, route.lastIndexOf("/")) || route;
export const areaOf = (path) => path.split("/")[1];
export const branchOf = (path) => `${path}${BRANCH}`;
const routesOf = ({ read, writes }) => (read === null ? writes : [read, ...writes]);

/**
 * What the installation knows, as a tree: areas with their screens.
 *
 * @param {Known[]} known
 * @returns {{area: string, screens: Screen[]}[]}
 */
export function treeOf(known) {
  /** @type {Map<string, Screen>} */
  const screens = new Map();
  for (const each of known) {
    const path = each.read ?? above(each.write);
    const screen = screens.get(path) ?? { path, known: [], read: null, writes: [] };
    screen.known.push(each);
    screen.read ??= each.read;
    if (each.write !== null && each.write !== screen.read && !screen.writes.includes(each.write)) screen.writes.push(each.write);
    screens.set(path, screen);
  }
  const sorted = [...screens.values()].sort((one, other) => one.path.localeCompare(other.path));
  return sortedAreas([...new Set(sorted.map(({ path }) => areaOf(path)))]).map((area) => ({ area, screens: sorted.filter(({ path }) => areaOf(path) === area) }));
}

/** What names a screen: its resource, where it has one. @param {Screen} screen */
export const namesake = ({ known }) => known.find(({ kind }) => kind === "resource") ?? known[0];

/** What is given so that a screen can be written: its branch, where nothing else lies in it. */
function patternsToWrite(screen, screens) {
  const branch = branchOf(screen.path);
  const isAlone = screens.every((other) => other === screen || !routesOf(other).some((route) => allows(branch, route)));
  return isAlone && routesOf(screen).every((route) => allows(branch, route)) ? [branch] : routesOf(screen);
}

/** Patterns with these; what was given singly stays, for when they are taken away again. */
export const giving = (patterns, added) => [...patterns.filter((pattern) => !added.includes(pattern)), ...added];

/** The routes of the screen itself give way to its branch. */
export const givingWrite = (patterns, screen, screens) =>
  giving(patterns.filter((pattern) => !routesOf(screen).includes(pattern)), patternsToWrite(screen, screens));

/** Patterns without some routes: of a branch that held them, what is known of it otherwise stays. */
export function taking(patterns, routes, screens) {
  const left = (pattern) =>
    screens.flatMap((screen) => {
      const kept = routesOf(screen).filter((route) => allows(pattern, route) && !routes.includes(route));
      return kept.length > 1 && kept.length === routesOf(screen).length ? patternsToWrite(screen, screens) : kept;
    });
  return [...new Set(patterns.flatMap((pattern) => (pattern !== EVERYTHING && routes.some((route) => allows(pattern, route)) ? left(pattern) : [pattern])))];
}

/** Patterns that nothing in the installation asks for. */
export function unknownOf(patterns, known) {
  const routes = known.flatMap(({ read, write }) => [read, write]).filter((route) => route !== null);
  return patterns.filter((pattern) => !routes.some((route) => allows(pattern, route)));
}

/**
 * What can be read and written by some patterns and not by others, by title.
 *
 * @returns {{administers: boolean, reads: string[], writes: string[]}}
 */
export function gainOf(before, after, known) {
  const isNew = (route) => route !== null && isGiven(after, route) && !isGiven(before, route);
  const titles = (name) => [...new Set(known.filter((each) => isNew(each[name])).map(({ title }) => title))];
  return { administers: after.includes(EVERYTHING) && !before.includes(EVERYTHING), reads: titles("read"), writes: titles("write") };
}

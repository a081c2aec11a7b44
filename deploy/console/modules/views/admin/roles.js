/** Roles that the installation names, and permissions in words. Pure. */
import { plain } from "../../finding/spellings.js";
import { titleOfArea } from "../../titles.js";
import { areaOf, branchOf, gainOf, giving, isGiven, namesake, treeOf, unknownOf } from "./menu-routes.js";

const NO_WORDS = { roles: [], areas: [], reads: [], writes: [] };

/**
 * @typedef {{name: string, description: string | null, paths: string[]}} Role
 * @typedef {{known: any[], roles: Role[]}} Catalogue what the installation knows
 */

/** Whether patterns give all that a role gives. @param {string[]} patterns @param {Role} role */
export const hasRole = (patterns, { paths }) => paths.length > 0 && paths.every((path) => isGiven(patterns, path));

/** Whether a role is given by broader patterns alone, so that it can't be taken by itself. @param {string[]} patterns @param {Role} role */
export const isRoleFixed = (patterns, role) => hasRole(patterns, role) && !role.paths.every((path) => patterns.includes(path));

/** @param {string[]} patterns @param {Role} role */
export const givingRole = (patterns, role) => giving(patterns, role.paths);

/** Patterns without a role; what another role gives as well stays. @param {string[]} patterns @param {Role} role @param {Role[]} roles */
export function takingRole(patterns, role, roles) {
  const staying = roles.filter((other) => other.name !== role.name && hasRole(patterns, other)).flatMap(({ paths }) => paths);
  return patterns.filter((pattern) => !role.paths.includes(pattern) || staying.includes(pattern));
}

/**
 * What can be written without what its forms look up, such as orders without partners.
 *
 * @param {string[]} patterns
 * @param {any[]} known
 * @returns {{title: string, lacks: string[], routes: string[]}[]} `lacks`: the titles of what its forms need, `routes`: how they are given
 */
export function lacksOf(patterns, known) {
  const titleOf = (route) => known.find(({ read, kind }) => read === route && kind === "resource")?.title ?? known.find(({ read }) => read === route)?.title ?? route;
  const written = known.filter(({ write }) => write !== null && isGiven(patterns, write));
  const lacking = written.map(({ title, needs = [] }) => ({ title, routes: needs.filter((route) => !isGiven(patterns, route)) })).filter(({ routes }) => routes.length > 0);
  return lacking.map(({ title, routes }) => ({ title, routes, lacks: routes.map(titleOf) }));
}

/**
 * Permissions in words: roles, whole areas, and what is given besides.
 *
 * @param {string[]} paths
 * @param {Catalogue} catalogue
 */
export function inWords(paths, { known, roles }) {
  const own = roles.filter((role) => hasRole(paths, role));
  const ofRoles = own.flatMap((role) => role.paths);
  const branches = [...new Set(known.map(({ read, write }) => branchOf(`/${areaOf(read ?? write)}`)))].filter((branch) => paths.includes(branch) && !isGiven(ofRoles, branch));
  const { administers, reads, writes } = gainOf([...ofRoles, ...branches], paths, treeOf(known).flatMap(({ screens }) => screens.map(namesake)));
  const areas = branches.map((branch) => titleOfArea(areaOf(branch)));
  return { administers, roles: own.map(({ name }) => name), areas, reads: reads.filter((title) => !writes.includes(title)), writes, unknown: unknownOf(paths, known) };
}

/** Permissions of people whose name or words hold what is looked for. @param {{webUser: string, paths: string[]}[]} permissions @param {string} text @param {Catalogue | null} catalogue */
export function permissionsWith(permissions, text, catalogue) {
  const wanted = plain(text.trim());
  const textOf = ({ webUser, paths }) => {
    const { roles, areas, reads, writes } = catalogue ? inWords(paths, catalogue) : NO_WORDS;
    return [webUser, ...paths, ...roles, ...areas, ...reads, ...writes].join(" ");
  };
  return permissions.filter((each) => plain(textOf(each)).includes(wanted));
}

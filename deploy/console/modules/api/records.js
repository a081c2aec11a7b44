/** `/api/sl` as the console uses it: what may be used, rows, records, writes. */
import { gateway, gatewaySession } from "../session/gateway-session.js";
import { currencies } from "../currencies.js";
import { t } from "../texts.js";
import { Problem } from "./problem.js";
import { describedBy } from "./descriptions.js";
import { readJson, segment, send, sendForFile, sendForJson, withQuery } from "./request.js";

let offer = null;
/** @type {Map<string, Promise<import("./descriptions.js").Description>>} */
const descriptions = new Map();
gatewaySession.subscribe(() => { // another person may use other resources
  offer = null;
  descriptions.clear();
});

/** @returns {Promise<{items: object[], serviceActions: string[]}>} read once in each session */
export function readOffer() {
  offer ??= sendForJson(gateway, "GET", "/sl").catch((problem) => {
    offer = null;
    throw problem;
  });
  return offer;
}

/** The offer, read anew where it does not name a resource: permissions act at once, also in a session that has begun. */
export async function readOfferOf(name) {
  const known = await readOffer();
  if (known.items.some((each) => each.name === name)) return known;
  offer = null;
  return readOffer();
}

/** What a page tells of a resource that does not exist, or that nobody may read here. @returns {Problem} */
export const notOffered = (name) => new Problem({ code: "not_offered", detail: t`«${name}» no existe, o sus permisos no lo alcanzan.` });

export async function readResource(name) {
  const { items } = await readOfferOf(name);
  return items.find((each) => each.name === name) ?? null;
}

/** What the fields of a resource are: read once in each session, unless the ERP could not tell all; never fails. */
export function readDescription(name) {
  if (!descriptions.has(name)) descriptions.set(name, describe(name));
  return descriptions.get(name);
}

async function describe(name) {
  const described = await sendForJson(gateway, "GET", `/fields/${segment(name)}`).catch(() => ({ complete: false, fields: [] }));
  if (described.currencies?.local) currencies.set(described.currencies);
  if (!described.complete) descriptions.delete(name);
  return describedBy(described);
}

const at = (resource, ...more) => ["/sl", resource, ...more].map((part, index) => (index ? segment(part) : part)).join("/");

/**
 * @param {string} resource
 * @param {{select?: string, filter?: string, orderby?: string, top?: number, skip?: number}} [options]
 * @param {import("./request.js").Sending} [sending]
 */
export function listRecords(resource, { select, filter, orderby, top, skip } = {}, sending = {}) {
  const query = { $select: select, $filter: filter, $orderby: orderby, $top: top, $skip: skip };
  return sendForJson(gateway, "GET", withQuery(at(resource), query), sending);
}

/**
 * Sums over all records of a filter, which the ERP computes.
 *
 * @param {string} resource
 * @param {{select: string, filter?: string}} options `select`: the columns to add up
 * @param {import("./request.js").Sending} [sending]
 * @returns {Promise<{available: boolean, count: number | null, columns: {name: string, by: string | null, sums: {unit: string | null, value: number}[]}[]}>}
 */
export function readSums(resource, { select, filter }, sending = {}) {
  return sendForJson(gateway, "GET", withQuery(`/sums/${segment(resource)}`, { $select: select, $filter: filter }), sending);
}

/** All that match as a file, however many pages of the list they fill. */
export function exportRecords(resource, { select, filter, orderby }, formato) {
  return sendForFile(gateway, "GET", withQuery(at(resource), { $select: select, $filter: filter, $orderby: orderby, formato }));
}

/** @returns {Promise<{record: object, etag: string | null}>} */
export async function readRecord(resource, key) {
  const response = await send(gateway, "GET", at(resource, key));
  return { record: await readJson(response, false), etag: response.headers.get("ETag") };
}

/** What people know a record by: its first column, such as a document's number; its key where that is not to be had. */
export async function readShownName(resource, key) {
  const first = resource.columns[0]?.name;
  if (!first || !resource.methods.includes("GET") || resource.key.some((part) => part.name === first)) return key;
  try {
    const record = await sendForJson(gateway, "GET", withQuery(at(resource.name, key), { $select: first }));
    return record[first] ?? key;
  } catch {
    return key;
  }
}

export function createRecord(resource, body, idempotencyKey) {
  return sendForJson(gateway, "POST", at(resource), { body, headers: { "Idempotency-Key": idempotencyKey } });
}

/**
 * @param {string} resource
 * @param {string} key
 * @param {object} changes
 * @param {{etag: string | null, idempotencyKey: string, replaces?: boolean}} options `replaces`: lines that are not among the changes go
 */
export function changeRecord(resource, key, changes, { etag, idempotencyKey, replaces = false }) {
  const headers = { "Idempotency-Key": idempotencyKey, ...(etag && { "If-Match": etag }), ...(replaces && { "B1S-ReplaceCollectionsOnPatch": "true" }) };
  return sendForJson(gateway, "PATCH", at(resource, key), { body: changes, headers });
}

export function actOnRecord(resource, key, action, { etag, idempotencyKey }) {
  const headers = { "Idempotency-Key": idempotencyKey, ...(etag && { "If-Match": etag }) };
  return sendForJson(gateway, "POST", at(resource, key, action), { headers });
}

/** The documents that a record comes from, and those that followed it. @returns {Promise<import("../views/erp/flow-stages.js").FlowAnswer>} */
export const readFlow = (resource, key) => sendForJson(gateway, "GET", `/flow/${segment(resource)}/${segment(key)}`);

const filesOf = (resource, key) => `/attachments/${segment(resource)}/${segment(key)}`;

/** @returns {Promise<{items: {number: number, name: string, addedOn: string | null}[]}>} */
export const listAttachments = (resource, key) => sendForJson(gateway, "GET", filesOf(resource, key));
export const readAttachment = (resource, key, number) => sendForFile(gateway, "GET", `${filesOf(resource, key)}/${number}`);

/** @param {File[]} files */
export function addAttachments(resource, key, files, idempotencyKey) {
  const form = new FormData();
  for (const file of files) form.append("files", file);
  return sendForJson(gateway, "POST", filesOf(resource, key), { body: form, headers: { "Idempotency-Key": idempotencyKey } });
}

/** The key of a row as its path wants it: bare where it is one value, named parts where it is several. */
export function keyOf(resource, record) {
  if (resource.key.length === 1) return String(record[resource.key[0].name]);
  return resource.key
    .map(({ name, type }) => `${name}=${type === "integer" ? record[name] : `'${String(record[name]).replaceAll("'", "''")}'`}`)
    .join(",");
}

/** A word that marks one intended write; sent again with the same content, the answer is the same. */
export function newIdempotencyKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

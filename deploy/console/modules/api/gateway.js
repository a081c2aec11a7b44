/** The gateway's other routes: reports, queries, administration. */
import { gateway } from "../session/gateway-session.js";
import { makeByJob } from "./jobs.js";
import { received } from "./problem.js";
import { segment, send, sendForFile, sendForJson, withQuery } from "./request.js";
import { t } from "../texts.js";

const get = (path) => sendForJson(gateway, "GET", path);
const items = async (path) => (await get(path)).items;

export const listErpReports = () => items("/gateway/reports");
export const listHtmlReports = () => items("/html-reports");
export const readHtmlReport = (code) => get(`/html-reports/${segment(code)}`);
export const listQueries = () => items("/erpdb/queries");
export const readQuery = (name) => get(`/erpdb/queries/${segment(name)}`);
export const runErpReport = (code, values, how) => makeByJob(`/gateway/reports/${segment(code)}/export`, { values }, how);
export const listFormats = (screen) => items(withQuery("/gateway/documents", { screen }));
export const printDocument = (screen, code, docEntry) => sendForFile(gateway, "POST", "/gateway/documents/export", { body: { screen, code, docEntry } });
/** Several documents joined into one PDF, in this order: all of them or none. */
export const printDocuments = (screen, code, docEntries, how) => makeByJob("/gateway/documents/export", { screen, code, docEntries }, how);
export const printHtmlReport = (code, values, how) => makeByJob(`/html-reports/${segment(code)}/pdf`, { values }, how);
/** A report as HTML, to be shown where it can run nothing. */
export async function showHtmlReport(code, values, sending = {}) {
  const response = await send(gateway, "POST", `/html-reports/${segment(code)}/render`, { body: { values }, isWrite: false, headers: { Accept: "text/html" }, ...sending });
  return received(response.text(), "no_connection", t`El informe no llegó completo. No se cambió nada: inténtelo de nuevo.`);
}
export const exportReport = (code, values, formato, tabla) => sendForFile(gateway, "POST", withQuery(`/html-reports/${segment(code)}/render`, { formato, tabla }), { body: { values } });
/**
 * @param {string} name
 * @param {object} params
 * @param {{limit?: number, offset?: number}} [page] of a query that is `paged`
 * @param {import("./request.js").Sending} [sending]
 */
export const runQuery = (name, params, page = {}, sending = {}) => sendForJson(gateway, "POST", `/erpdb/queries/${segment(name)}`, { body: { params, ...page }, isWrite: false, ...sending });
/** @returns {Promise<number | null>} how many rows there are; null where the database can't count them */
export const countQuery = async (name, params, sending = {}) => (await sendForJson(gateway, "POST", `/erpdb/queries/${segment(name)}/count`, { body: { params }, isWrite: false, ...sending })).total;
export const exportQuery = (name, params, formato) => sendForFile(gateway, "POST", withQuery(`/erpdb/queries/${segment(name)}`, { formato }), { body: { params } });

export const listPermissions = () => items("/permissions");
/** @returns {Promise<{known: any[], roles: {name: string, description: string | null, paths: string[]}[]}>} */
export const readMenuRoutes = async () => {
  const { items: known, roles = [] } = await get("/menu-routes");
  return { known, roles };
};
export const replacePermissions = (webUser, paths) => sendForJson(gateway, "PUT", `/permissions/${segment(webUser)}`, { body: { paths } });
export const removePermissions = (webUser) => sendForJson(gateway, "DELETE", `/permissions/${segment(webUser)}`);
export const listPeople = () => items("/people");
export const listSessions = () => items("/sessions");
export const endSession = (webUser) => sendForJson(gateway, "DELETE", `/sessions/${segment(webUser)}`);
export const liftLoginBlock = (webUser) => sendForJson(gateway, "DELETE", `/login-blocks/${segment(webUser)}`);
export const readAudit = (query) => get(withQuery("/audit", query));
export const readHistory = (resource, key, query) => get(withQuery(`/history/${segment(resource)}/${segment(key)}`, query));
export const listWrites = (query) => get(withQuery("/writes", query));
export const readWrite = (id) => get(`/writes/${segment(id)}`);
export const settleWrite = (id, result, key) => sendForJson(gateway, "POST", `/writes/${segment(id)}/settle`, { body: key ? { result, key } : { result } });
export const readSystem = () => get("/system");
/** What is to be done, in figures, as the person's permissions allow it. @returns {Promise<{cards: any[]}>} */
export const readHome = () => get("/home");
/** What a partner owes, by how long it is due. */
export const readPartnerAccount = (key) => get(`/partner-accounts/${segment(key)}`);
export const readErpHealth = () => get("/health/erp");

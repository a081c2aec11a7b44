/** Which page stands at which path, and whose service it needs. Pages are loaded when they are opened, but for the first one. */
import { NotFoundPage } from "./views/not-found.js";
import { StartPage } from "./views/start.js";

const start = async () => ({ StartPage });
const planningList = () => import("./views/returns/planning-list.js");
const newPlanning = () => import("./views/returns/new-planning.js");
const planning = () => import("./views/returns/planning.js");
const preparation = () => import("./views/returns/preparation.js");
const resources = () => import("./views/erp/resources.js");
const recordList = () => import("./views/erp/list/record-list.js");
const record = () => import("./views/erp/record.js");
const createPage = () => import("./views/erp/forms/create-page.js");
const catalogue = () => import("./views/reports/catalogue.js");
const runReport = () => import("./views/reports/run.js");
const jobs = () => import("./views/reports/jobs.js");
const permissions = () => import("./views/admin/permissions.js");
const sessions = () => import("./views/admin/sessions.js");
const audit = () => import("./views/admin/audit.js");
const historyPage = () => import("./views/admin/history.js");
const writes = () => import("./views/admin/writes.js");
const system = () => import("./views/admin/system.js");
const notFound = async () => ({ NotFoundPage });

/**
 * Path, what loads the page's module, the name that it exports, the door; a segment that begins with a colon is a parameter.
 *
 * @type {[string, () => Promise<any>, string, string | null][]}
 */
const PAGES = [
  ["", start, "StartPage", null],
  ["erp", resources, "ResourcesPage", "gateway"],
  ["erp/:resource", recordList, "RecordListPage", "gateway"],
  ["crear/:resource", createPage, "CreatePage", "gateway"],
  ["erp/:resource/:key", record, "RecordPage", "gateway"],
  ["informes", catalogue, "CataloguePage", "gateway"],
  ["informes/:kind/:code", runReport, "RunPage", "gateway"],
  ["trabajos", jobs, "JobsPage", "gateway"],
  ["escrituras", writes, "WritesPage", "gateway"],
  ["permisos", permissions, "PermissionsPage", "gateway"],
  ["sesiones", sessions, "SessionsPage", "gateway"],
  ["auditoria", audit, "AuditPage", "gateway"],
  ["historia/:resource/:key", historyPage, "HistoryPage", "gateway"],
  ["sistema", system, "SystemPage", "gateway"],
  ["devoluciones", planningList, "PlanningListPage", "returns"],
  ["devoluciones/nueva", newPlanning, "NewPlanningPage", "returns"],
  ["devoluciones/preparacion", preparation, "PreparationPage", "returns"],
  ["devoluciones/:id", planning, "PlanningPage", "returns"],
];

const ROUTES = PAGES.map(([path, load, name, door]) => ({ pattern: path.split("/").filter(Boolean), load, name, door }));

export function routeFor(segments) {
  for (const route of ROUTES) {
    const params = match(route.pattern, segments);
    if (params) return { ...route, params };
  }
  return { load: notFound, name: "NotFoundPage", door: null, params: {} };
}

function match(pattern, segments) {
  if (pattern.length !== segments.length) return null;
  const params = {};
  for (const [at, part] of pattern.entries()) {
    if (part.startsWith(":")) params[part.slice(1)] = segments[at];
    else if (part !== segments[at]) return null;
  }
  return params;
}

/** Which page stands at which path, whose service it needs, and what the navigation shows. Pages come when needed. */

const start = () => import("./views/start.js");
const planningList = () => import("./views/returns/planning-list.js");
const newPlanning = () => import("./views/returns/new-planning.js");
const planning = () => import("./views/returns/planning.js");
const preparation = () => import("./views/returns/preparation.js");
const notFound = () => import("./views/not-found.js");

/** `[path, load, exported name, door]`; a segment that begins with a colon is a parameter. */
const ROUTES = [
  ["", start, "StartPage", null],
  ["devoluciones", planningList, "PlanningListPage", "returns"],
  ["devoluciones/nueva", newPlanning, "NewPlanningPage", "returns"],
  ["devoluciones/preparacion", preparation, "PreparationPage", "returns"],
  ["devoluciones/:id", planning, "PlanningPage", "returns"],
].map(([path, load, name, door]) => ({ pattern: path.split("/").filter(Boolean), load, name, door }));

export const NAVIGATION = [
  { title: "General", entries: [["/", "Inicio"]] },
  {
    title: "Devoluciones",
    door: "returns",
    entries: [
      ["/devoluciones", "Planificaciones"],
      ["/devoluciones/nueva", "Nueva devolución"],
      ["/devoluciones/preparacion", "Preparación del ERP"],
    ],
  },
];

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

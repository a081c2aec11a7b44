/** What a list shows and how to change it: its address decides, then what this browser remembers of the list. */
import { hrefTo } from "../../../addresses.js";
import { readConditions, searchedOf } from "../../../finding/conditions.js";
import { useMemo, useState } from "../../../html.js";
import { keepLayout, readLayout } from "../../../preferences.js";
import { goTo } from "../../../router.js";
import { PAGE } from "./list-request.js";
import { useMoreColumns } from "./more-columns.js";

const SHOWN_AT_FIRST = 8;
const LAST_PAGE = Math.floor((2 ** 31 - 1) / PAGE); // the largest `$skip` that the gateway accepts
const AS_IT_COMES = "-"; // an address with this order ignores the order that the browser remembers

/** Columns that this browser remembers beside those that the service names. */
const rememberedOf = (resource, layout) => (layout.columns ?? []).filter((column) => !resource.columns.some(({ name }) => name === column.name));

const addressesOf = (resource, query) => {
  const now = { columnas: query.get("columnas"), filtro: query.get("filtro"), orden: query.get("orden") };
  return { now, addressOf: (changed) => hrefTo(["erp", resource.name], { ...now, ...changed }) };
};

/**
 * @param {any} resource
 * @param {URLSearchParams} query of the address
 * @param {boolean} isWidened whether every property of the resource is wanted as a column
 */
export function useListView(resource, query, isWidened) {
  const [layout, setLayout] = useState(() => readLayout(resource.name));
  const [resets, setResets] = useState(0);
  const conditions = useMemo(() => readConditions(query.get("filtro")), [query.get("filtro")]);
  const searched = useMemo(() => searchedOf(resource), [resource]);
  const order = query.get("orden") ?? layout.sort ?? AS_IT_COMES;
  const [by, way] = order === AS_IT_COMES ? [""] : order.split(" ");
  const page = Math.min(LAST_PAGE, Math.max(1, Math.trunc(Number(query.get("pagina") ?? 1)) || 1));
  const { columns, shown, more, isKnown } = useColumns(resource, { layout, query, named: [...conditions.map(({ name }) => name), by], isWidened });
  const { now, addressOf } = addressesOf(resource, query);
  const remember = (changes) => {
    keepLayout(resource.name, changes);
    setLayout(readLayout(resource.name));
  };
  return {
    columns, shown, more, isKnown, conditions, searched, by, way, page, order, resets,
    address: addressOf({ columnas: shown.map(({ name }) => name).join(","), orden: order }),
    turn: (pagina, options = {}) => goTo(addressOf({ pagina: pagina > 1 ? pagina : "" }), options),
    search: (next) => goTo(addressOf({ filtro: next.length ? JSON.stringify(next) : "" })),
    sort: (name, down) => {
      if (!now.orden) goTo(addressOf({ orden: order, pagina: query.get("pagina") }), { replace: true }); // Back finds it sorted as it is now
      const orden = down ? `${name} desc` : name;
      remember({ sort: orden });
      goTo(addressOf({ orden }));
    },
    choose: (names) => {
      const kept = names.map((wanted) => columns.find((column) => column.name === wanted));
      remember({ columns: kept.map(({ name, title, type, choices, lookup, measure }) => ({ name, title, type, choices, lookup, measure })) });
      goTo(addressOf({ columnas: names.join(",") }), { replace: true });
    },
    forget: () => {
      remember({ columns: undefined, sort: undefined, widths: undefined });
      setResets(resets + 1);
      goTo(addressOf({ columnas: "", orden: "" }), { replace: true });
    },
  };
}

/** The columns that there are and those that are shown; the ERP describes the rest of them once they are needed. */
function useColumns(resource, { layout, query, named, isWidened }) {
  const chosen = query.get("columnas")?.split(",") ?? layout.columns?.map((column) => column.name) ?? null;
  const known = [...resource.columns, ...rememberedOf(resource, layout)];
  const isMissing = (name) => !known.some((column) => column.name === name);
  const needsMore = (resource.columns.length === 0 && !chosen) || [...(chosen ?? []), ...named].filter(Boolean).some(isMissing);
  const more = useMoreColumns(resource, needsMore || isWidened);
  const columns = useMemo(() => (more.data?.isAll ? [...resource.columns, ...more.data.columns] : known), [resource, layout, more.data]);
  const shown = chosen ? chosen.map((wanted) => columns.find(({ name }) => name === wanted)).filter(Boolean) : columns.slice(0, SHOWN_AT_FIRST);
  return { columns, shown, more, isKnown: !needsMore || more.data?.isAll === true };
}

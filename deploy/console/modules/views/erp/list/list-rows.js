/** The rows of a list, read page by page. */
import { listRecords, readDescription } from "../../../api/records.js";
import { useLoaded } from "../../../components/loading.js";
import { currencies } from "../../../currencies.js";
import { useEffect } from "../../../html.js";
import { useStore } from "../../../store.js";
import { PAGE } from "./list-request.js";

/**
 * @param {any} resource
 * @param {{select: string, filter: string, orderby: string}} request
 * @param {number} page
 * @param {boolean} isExpressed whether the request says all that the page shows as conditions
 */
export function useListRows(resource, { select, filter, orderby }, page, isExpressed) {
  useStore(currencies);
  useEffect(() => void readDescription(resource.name), [resource.name]); // with it comes the company's currency
  const rows = useLoaded(
    async (signal) => (isExpressed ? { filter, ...(await listRecords(resource.name, { select, filter, orderby, top: PAGE, skip: (page - 1) * PAGE || undefined }, { signal })) } : undefined),
    [resource.name, select, filter, orderby, page, isExpressed],
  );
  if (!isExpressed) return { ...rows, data: undefined, problem: null };
  return rows.problem ? { ...rows, data: undefined } : rows; // rows of another search would stand under these conditions
}

/** Columns beside those that the service names. */
import { Problem } from "../../../api/problem.js";
import { readDescription } from "../../../api/records.js";
import { useLoaded } from "../../../components/loading.js";
import { useRef } from "../../../html.js";
import { t } from "../../../texts.js";
import { knownFirst } from "../write-value.js";

/**
 * Properties beside those that the service names, once somebody wants to see them.
 *
 * @returns what `useLoaded` does; its data says whether these are all
 */
export function useMoreColumns(resource, isWanted) {
  const wasWanted = useRef(false);
  wasWanted.current ||= isWanted;
  return useLoaded(async () => {
    if (!wasWanted.current) return { isAll: false, columns: [] };
    const { fields, isComplete, isNamed } = await readDescription(resource.name);
    if (!isComplete) throw new Problem({ code: "not_described", detail: t`El ERP no dice ahora qué otros campos tiene este registro.` });
    return { isAll: true, columns: knownFirst(fields.filter(({ name }) => isNamed(name) && !resource.columns.some((column) => column.name === name))) };
  }, [resource.name, wasWanted.current]);
}

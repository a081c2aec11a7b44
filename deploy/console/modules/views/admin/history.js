/** The history of one record. */
import { hrefTo } from "../../addresses.js";
import { readHistory } from "../../api/gateway.js";
import { readDescription } from "../../api/records.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Waiting } from "../../components/waiting.js";
import { html } from "../../html.js";
import { goTo } from "../../router.js";
import { t } from "../../texts.js";
import { readNameOf } from "../erp/names.js";
import { historyColumns, Records } from "./audit-table.js";
import { PAGE } from "./audit.js";

export function HistoryPage({ params, query }) {
  const { resource, key } = params;
  const page = Number(query.get("pagina") ?? 1);
  const found = useLoaded(async () => {
    const [history, described] = await Promise.all([readHistory(resource, key, { page, pageSize: PAGE }), readDescription(resource)]);
    return { ...history, columns: historyColumns(described) };
  }, [resource, key, page]);
  const known = useLoaded(() => readNameOf(resource, key), [resource, key]);
  if (known.data === undefined && !known.problem) return html`<${Waiting} />`; // a title that grows later would move the page
  const { title, one, shown } = known.data ?? { title: null, one: t`Registro`, shown: key };
  const crumbs = [["#/erp", t`Registros`], title && [hrefTo(["erp", resource]), title], [hrefTo(["erp", resource, key]), `${one} ${shown}`]].filter(Boolean);
  return html`<${PageHead} title=${t`Historia: ${one} ${shown}`} crumbs=${crumbs}
      about=${t`Lo que se hizo con este registro desde aquí, lo más nuevo primero: quién, cuándo y en qué campos. Los valores no se guardan.`} />
    <section class="panel flush">
      <${Loaded} from=${found} what=${t`Leyendo la historia…`}>${(data) => html`<${Records} found=${data} columns=${data.columns} empty=${t`Nada se hizo con él desde aquí. Lo que se hace en el propio ERP se ve allá.`} onPage=${(pagina) => goTo(hrefTo(["historia", resource, key], { pagina }), { replace: true })} />`}<//>
    </section>`;
}

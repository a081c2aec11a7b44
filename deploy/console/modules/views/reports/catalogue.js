/** Reports and queries that this person may run. */
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { listErpReports, listHtmlReports, listQueries } from "../../api/gateway.js";
import { html } from "../../html.js";
import { hrefTo } from "../../router.js";

export function CataloguePage() {
  return html`<${PageHead} title="Informes y consultas" />
    <${Group} title="Informes" read=${listHtmlReports} kind="html" path="informes" />
    <${Group} title="Informes del ERP" read=${listErpReports} kind="erp" path="informes" />
    <${Group} title="Consultas" read=${listQueries} kind="consulta" path="informes" />`;
}

function Group({ title, read, kind, path }) {
  const found = useLoaded(read, []);
  return html`<section class="stack tight"><h2>${title}</h2>
    <${Loaded} from=${found} low>
      ${(items) => items.length
        ? html`<ul class="cards-list">${items.map((each) => {
            const code = each.code ?? each.name;
            return html`<li key=${code}><a class="card" href=${hrefTo([path, kind, code])}><strong>${each.title}</strong><span class="small muted">${each.category ?? code}</span></a></li>`;
          })}</ul>`
        : html`<p class="muted">No hay ninguno.</p>`}
    <//>
  </section>`;
}

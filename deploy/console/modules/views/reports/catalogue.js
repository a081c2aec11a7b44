/** Reports and queries that this person may run. */
import { ProblemNote } from "../../components/problem-note.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { asProblem } from "../../api/problem.js";
import { listErpReports, listHtmlReports, listQueries } from "../../api/gateway.js";
import { html } from "../../html.js";
import { hrefTo } from "../../addresses.js";
import { t } from "../../texts.js";

const GROUPS = [
  { title: t`Informes`, kind: "html", read: listHtmlReports, empty: t`Ninguno. Los declara una extensión de la pasarela.` },
  { title: t`Informes del ERP`, kind: "erp", read: listErpReports, empty: t`Ninguno. Los registra quien administra la pasarela.` },
  { title: t`Consultas`, kind: "consulta", read: listQueries, empty: t`Ninguna que sus permisos alcancen. Los permisos los da quien administra la pasarela.` },
];

/** All groups, drawn together when the last one has come; one that is refused says so in its place. */
const readAll = () => Promise.all(GROUPS.map(({ read }) => read().then((items) => ({ items }), (error) => ({ problem: asProblem(error) }))));

export function CataloguePage() {
  const found = useLoaded(readAll, []);
  return html`<${PageHead} title=${t`Informes y consultas`} />
    <${Loaded} from=${found} what=${t`Leyendo los informes y consultas…`}>${(groups) => groups.map((group, at) => html`<${Group} key=${GROUPS[at].kind} ...${GROUPS[at]} ...${group} onRetry=${found.load} />`)}<//>`;
}

function Group({ title, kind, items, problem, empty, onRetry }) {
  return html`<section class="stack tight">
    <h2>${title}</h2>
    ${problem && html`<${ProblemNote} problem=${problem} onRetry=${onRetry} />`}
    ${items?.length === 0 && html`<p class="muted">${empty}</p>`}
    ${items?.length > 0 && html`<ul class="links">
      ${items.map(({ code, name, title: itsTitle, category }) => html`<li key=${code ?? name}><a href=${hrefTo(["informes", kind, code ?? name])}>${itsTitle}</a>
        ${category && html`<span class="note">${category}</span>`}</li>`)}
    </ul>`}
  </section>`;
}

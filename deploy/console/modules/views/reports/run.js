/** One report or query: its form and its result. */
import { listErpReports, listHtmlReports, listQueries, printHtmlReport, readHtmlReport, readQuery, runErpReport, showHtmlReport } from "../../api/gateway.js";
import { FavouriteButton } from "../../components/favourite-button.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { Note } from "../../components/note.js";
import { PageHead } from "../../components/page.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { queryFiles, RunQuery } from "./run-query.js";
import { reportFiles, RunReport } from "./run-report.js";

const KINDS = {
  html: { list: listHtmlReports, run: printHtmlReport, show: showHtmlReport, read: readHtmlReport, files: reportFiles },
  erp: { list: listErpReports, run: runErpReport },
  consulta: { list: listQueries, read: readQuery, files: queryFiles },
};

export function RunPage({ params, query }) {
  const kind = Object.hasOwn(KINDS, params.kind) ? KINDS[params.kind] : null;
  const found = useLoaded(async () => {
    if (!kind) return null;
    const listed = (await kind.list()).find((each) => (each.code ?? each.name) === params.code) ?? null;
    const isWhole = !listed?.parameters.some((each) => each.input?.optionsFrom);
    return isWhole ? listed : kind.read(params.code); // its options are asked for where there are some
  }, [params.kind, params.code]);
  const Run = params.kind === "consulta" ? RunQuery : RunReport;
  return html`<${PageHead} title=${found.data?.title ?? params.code} crumbs=${[["#/informes", t`Informes y consultas`]]}>
      ${found.data && html`<${FavouriteButton} path=${`/informes/${params.kind}/${params.code}`} title=${found.data.title} />`}<//>
    <${Loaded} from=${found} what=${t`Leyendo los datos que pide…`}>
      ${(report) => report ? html`<${Run} kind=${kind} code=${params.code} report=${report} place=${{ segments: ["informes", params.kind, params.code], query }} />` : html`<${Note} kind="warn">${t`No existe, o sus permisos no lo alcanzan.`}<//>`}
    <//>`;
}

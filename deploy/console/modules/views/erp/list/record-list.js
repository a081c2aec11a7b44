/** A resource as a table: searched, its columns chosen and ordered, sorted, fifty rows a page; each of it a step of the browser's history. */
import { hrefTo } from "../../../addresses.js";
import { readOfferOf } from "../../../api/records.js";
import { FavouriteButton } from "../../../components/favourite-button.js";
import { Loaded, useLoaded } from "../../../components/loading.js";
import { Note } from "../../../components/note.js";
import { PageHead } from "../../../components/page.js";
import { ProblemNote } from "../../../components/problem-note.js";
import { Waiting } from "../../../components/waiting.js";
import { today } from "../../../formats.js";
import { html, useState } from "../../../html.js";
import { t } from "../../../texts.js";
import { PrintSeveralDialog } from "../print-several.js";
import { SavedViews } from "../saved-views.js";
import { SearchBox } from "../search-box.js";
import { documentOf } from "./chosen-records.js";
import { ColumnChooser } from "./column-chooser.js";
import { listRequest } from "./list-request.js";
import { ListResults } from "./list-results.js";
import { useListRows } from "./list-rows.js";
import { useListView } from "./list-view.js";
import { Refused } from "./refused-conditions.js";

export function RecordListPage({ params, query }) {
  const offered = useLoaded(() => readOfferOf(params.resource), [params.resource]);
  return html`<${Loaded} from=${offered} what=${t`Leyendo qué registros hay…`}>
    ${(offer) => offer.items.some(({ name }) => name === params.resource)
      ? html`<${Records} key=${params.resource} resource=${offer.items.find(({ name }) => name === params.resource)} offer=${offer} query=${query} />`
      : html`<${PageHead} title=${t`No disponible`} crumbs=${[["#/erp", t`Registros`]]} /><${Note} kind="warn">${t`«${params.resource}» no existe, o sus permisos no lo alcanzan. Los permisos los da quien administra la pasarela.`}<//>`}
  <//>`;
}

function Records({ resource, offer, query }) {
  const [opened, setOpened] = useState(/** @type {"columns" | "views" | null} */ (null));
  const [isWidened, setWidened] = useState(false);
  const [printed, setPrinted] = useState(null);
  const isChoosing = opened === "columns";
  const view = useListView(resource, query, isWidened || isChoosing);
  const request = listRequest(resource, view, today());
  const isExpressed = view.isKnown && !request.refused.length; // otherwise the rows would not match the conditions above them
  const rows = useListRows(resource, request, view.page, isExpressed);
  const title = resource.title ?? resource.name;
  const open = (what) => () => setOpened(opened === what ? null : what);
  return html`<${PageHead} title=${title} crumbs=${[["#/erp", t`Registros`]]}>
      <${FavouriteButton} path=${`/erp/${resource.name}`} title=${title} />
      ${resource.methods.includes("POST") && html`<a class="button main" href=${hrefTo(["crear", resource.name])}>${t`Crear`}</a>`}
      <button type="button" aria-expanded=${String(opened === "views")} onClick=${open("views")}>${t`Vistas`}</button>
      <button type="button" aria-expanded=${String(isChoosing)} onClick=${open("columns")}>${t`Columnas`}</button>
    <//>
    ${opened === "views" && html`<${SavedViews} list=${resource.name} address=${view.address} />`}
    ${isChoosing && view.isKnown && html`<${ColumnChooser} columns=${view.columns} shown=${view.shown.map((column) => column.name)} onChoose=${view.choose} onForget=${view.forget} />`}
    ${printed && html`<${PrintSeveralDialog} title=${title} screen=${resource.screen} documents=${printed.map((row) => documentOf(resource, view.shown, row))} onClose=${() => setPrinted(null)} />`}
    <section class="panel flush">
      <header><${SearchBox} columns=${view.columns} searched=${view.searched} conditions=${view.conditions} onMore=${view.more.data?.isAll ? null : () => setWidened(true)} onApply=${view.search} /></header>
      <${ProblemNote} problem=${view.more.problem} onRetry=${view.more.load} />
      ${view.isKnown && request.refused.length > 0 && html`<${Refused} refused=${request.refused} columns=${view.columns} />`}
      ${view.isKnown && request.told && html`<${Note}>${request.told}<//>`}
      ${!view.isKnown && !view.more.problem && html`<${Waiting}>${t`Leyendo qué campos hay…`}<//>`}
      ${isExpressed && html`<${Loaded} from=${rows} what=${t`Leyendo ${title.toLowerCase()}…`}>${(found) => html`<${ListResults} resource=${resource} offer=${offer} view=${view} request=${request} found=${found} title=${title} onPrint=${setPrinted} />`}<//>`}
    </section>`;
}

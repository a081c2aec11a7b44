import { hrefTo } from "../../../addresses.js";
import { exportRecords, keyOf, listRecords, readDescription, readOfferOf } from "../../../api/records.js";
import { ExportButtons } from "../../../components/export-buttons.js";
import { Loaded, useLoaded } from "../../../components/loading.js";
import { Note } from "../../../components/note.js";
import { PageHead } from "../../../components/page.js";
import { ProblemNote } from "../../../components/problem-note.js";
import { Pager } from "../../../components/table/pager.js";
import { Table } from "../../../components/table/table.js";
import { Waiting } from "../../../components/waiting.js";
import { currencies } from "../../../currencies.js";
import { encodedLength, filterOf, LIMITS, readConditions, searchedOf } from "../../../finding/conditions.js";
import { today } from "../../../formats.js";
import { html, useEffect, useMemo, useState } from "../../../html.js";
import { keepLayout, readLayout } from "../../../preferences.js";
import { goTo } from "../../../router.js";
import { useStore } from "../../../store.js";
import { t } from "../../../texts.js";
import { ownAmountOf } from "../amounts.js";
import { useCodeNames } from "../code-names.js";
import { PrintSeveralDialog } from "../print-several.js";
import { SavedViews } from "../saved-views.js";
import { SearchBox } from "../search-box.js";
import { documentOf, filterOfKeys } from "./chosen-records.js";
import { ColumnChooser } from "./column-chooser.js";
import { useMoreColumns } from "./more-columns.js";
import { Refused } from "./refused-conditions.js";
import { tableColumn } from "./table-column.js";

const PAGE = 50;
const SHOWN_AT_FIRST = 8;
const NO_ROWS = [];
const AS_IT_COMES = "-"; // an address that says so is not sorted as the list remembers
const OTHER_OPTIONS_BYTES = 200; // of what is asked for beside columns, order and filter

export function RecordListPage({ params, query }) {
  const offered = useLoaded(() => readOfferOf(params.resource), [params.resource]);
  return html`<${Loaded} from=${offered}>
    ${(offer) => offer.items.some(({ name }) => name === params.resource)
      ? html`<${Records} key=${params.resource} resource=${offer.items.find(({ name }) => name === params.resource)} offer=${offer} query=${query} />`
      : html`<${PageHead} title=${t`No disponible`} crumbs=${[["#/erp", t`Registros`]]} /><${Note} kind="warn">${t`«${params.resource}» no existe, o sus permisos no lo alcanzan. Los permisos los da quien administra la pasarela.`}<//>`}
  <//>`;
}

/** Documents come with the newest first, as long as nobody sorts them: what one has just made is on the first page. */
const newestFirst = ({ key }) => (key.length === 1 && key[0].name === "DocEntry" ? "DocEntry desc" : "");

function Records({ resource, offer, query }) {
  const [opened, setOpened] = useState(/** @type {"columns" | "views" | null} */ (null));
  const isChoosing = opened === "columns";
  const [isWidened, setWidened] = useState(false);
  const [printed, setPrinted] = useState(null);
  const [forgotten, setForgotten] = useState(0); // how often: the table begins anew
  const [layout, setLayout] = useState(() => readLayout(resource.name));
  const chosenNames = query.get("columnas")?.split(",") ?? layout.columns?.map((column) => column.name) ?? null;
  const isBare = resource.columns.length === 0;
  const conditions = useMemo(() => readConditions(query.get("filtro")), [query.get("filtro")]);
  const orden = query.get("orden") ?? layout.sort ?? AS_IT_COMES;
  const [by, way] = orden === AS_IT_COMES ? [""] : orden.split(" ");
  const remembered = (layout.columns ?? []).filter((column) => !resource.columns.some(({ name }) => name === column.name));
  const known = [...resource.columns, ...remembered];
  const named = [...(chosenNames ?? []), ...conditions.map(({ name }) => name), by].filter(Boolean);
  const searched = useMemo(() => searchedOf(resource), [resource]);
  const needsMore = (isBare && !chosenNames) || named.some((name) => !known.some((column) => column.name === name));
  const more = useMoreColumns(resource, needsMore || isChoosing || isWidened);
  const columns = useMemo(() => (more.data?.isAll ? [...resource.columns, ...more.data.columns] : known), [resource, layout, more.data]);
  const keyNames = resource.key.map((part) => part.name);
  const shown = chosenNames ? chosenNames.map((wanted) => columns.find(({ name }) => name === wanted)).filter(Boolean) : columns.slice(0, SHOWN_AT_FIRST);
  const isKnown = !needsMore || more.data?.isAll === true;
  const page = Number(query.get("pagina") ?? 1);
  const counted = shown.map(({ measure }) => measure?.by).filter(Boolean);
  const has = (name) => resource.columns.some((column) => column.name === name);
  const own = shown.filter(({ measure }) => measure?.kind === "amount").map(({ name }) => ownAmountOf(name)).filter(has);
  const beside = own.length && has("DocCurrency") ? [...own, "DocCurrency"] : [];
  const select = [...new Set([...keyNames, ...shown.map((column) => column.name), ...counted, ...beside])].join(",");
  const sorted = by && `${by} ${way === "desc" ? "desc" : "asc"}`;
  const orderby = sorted || newestFirst(resource);
  const room = LIMITS.encoded - encodedLength(select + sorted) - OTHER_OPTIONS_BYTES;
  const { filter, refused, told } = filterOf(conditions, columns, { searched, today: today(), room });
  const isExpressed = isKnown && !refused.length; // else the list would be another one than what stands above it
  const [exportProblem, setExportProblem] = useState(null);

  useStore(currencies);
  useEffect(() => void readDescription(resource.name), [resource.name]); // with it comes the company's currency
  const rows = useLoaded(
    async () => (isExpressed ? listRecords(resource.name, { select, filter, orderby, top: PAGE, skip: (page - 1) * PAGE || undefined }) : undefined),
    [resource.name, select, filter, by, way, page, isExpressed],
  );
  const codes = useCodeNames([{ rows: rows.data?.value ?? NO_ROWS, fields: shown.slice(1) }], offer);
  const answered = rows.problem ? { ...rows, data: undefined } : rows; // rows of another search would stand under this one's conditions
  const listed = isExpressed ? answered : { ...rows, data: undefined, problem: null };
  const now = { columnas: query.get("columnas"), filtro: query.get("filtro"), orden: query.get("orden") };
  const addressOf = (changed) => hrefTo(["erp", resource.name], { ...now, ...changed });
  const move = (changed) => goTo(addressOf(changed));
  const turn = (pagina) => move({ pagina: pagina > 1 ? pagina : "" });
  const remember = (changes) => {
    keepLayout(resource.name, changes);
    setLayout(readLayout(resource.name));
  };
  const sort = (name, down) => {
    if (!now.orden) goTo(addressOf({ orden, pagina: query.get("pagina") }), { replace: true }); // Back finds it sorted as it is now
    remember({ sort: down ? `${name} desc` : name });
    move({ orden: down ? `${name} desc` : name });
  };
  const choose = (names) => {
    const columnsOf = (wanted) => columns.find((column) => column.name === wanted);
    remember({ columns: names.map(columnsOf).map(({ name, title, type, choices, lookup, measure }) => ({ name, title, type, choices, lookup, measure })) });
    goTo(addressOf({ columnas: names.join(",") }), { replace: true });
  };
  const forget = () => {
    remember({ columns: undefined, sort: undefined, widths: undefined });
    setForgotten(forgotten + 1);
    goTo(addressOf({ columnas: "", orden: "" }), { replace: true });
  };
  const open = (what) => () => setOpened(opened === what ? null : what);
  const mayExport = keyNames.length === 1;
  const actions = (chosen) => html`${resource.screen && html`<button type="button" class="small" onClick=${() => setPrinted(chosen)}>${t`Imprimir`}</button>`}
    ${mayExport && html`<${ExportButtons} onProblem=${setExportProblem} files=${[{ name: "elegidos", make: (format) => exportRecords(resource.name, { ...kept, filter: filterOfKeys(resource, chosen) }, format) }]} />`}`;
  const kept = { select: shown.map((column) => column.name).join(","), orderby };
  const title = resource.title ?? resource.name;
  return html`<${PageHead} title=${title} crumbs=${[["#/erp", t`Registros`]]}>
      ${resource.methods.includes("POST") && html`<a class="button main" href=${hrefTo(["crear", resource.name])}>${t`Crear`}</a>`}
      <button type="button" aria-expanded=${String(opened === "views")} onClick=${open("views")}>${t`Vistas`}</button>
      <button type="button" aria-expanded=${String(isChoosing)} onClick=${open("columns")}>${t`Columnas`}</button>
    <//>
    ${opened === "views" && html`<${SavedViews} list=${resource.name} address=${addressOf({ columnas: shown.map(({ name }) => name).join(","), orden })} />`}
    ${isChoosing && isKnown && html`<${ColumnChooser} columns=${columns} shown=${shown.map((column) => column.name)} onChoose=${choose} onForget=${forget} />`}
    ${printed && html`<${PrintSeveralDialog} title=${title} screen=${resource.screen} documents=${printed.map((row) => documentOf(resource, shown, row))} onClose=${() => setPrinted(null)} />`}
    <section class="panel flush">
      <header><${SearchBox} columns=${columns} searched=${searched} conditions=${conditions} onMore=${more.data?.isAll ? null : () => setWidened(true)} onApply=${(next) => move({ filtro: next.length ? JSON.stringify(next) : "" })} /></header>
      <${ProblemNote} problem=${more.problem} onRetry=${more.load} />
      ${isKnown && refused.length > 0 && html`<${Refused} refused=${refused} columns=${columns} />`}
      ${isKnown && told && html`<${Note}>${told}<//>`}
      ${!isKnown && !more.problem && html`<${Waiting} />`}
      ${isExpressed && html`<${Loaded} from=${listed}>
        ${(found) => html`<${Table} key=${forgotten} caption=${title} rows=${found.value} rowKey=${(row) => keyOf(resource, row)}
            columns=${shown.map((column, index) => tableColumn(column, index, resource, offer, codes.nameOf))} layout=${resource.name} total=${found["odata.count"] > found.value.length ? t`Total de esta página` : undefined}
            sort=${by ? { key: by, down: way === "desc" } : undefined} onSort=${sort} isChoosable actions=${actions}
            empty=${filter ? t`Ningún registro cumple las condiciones. Quite alguna, o busque con menos palabras.` : t`No hay registros.${resource.methods.includes("POST") ? t` Haga el primero con «Crear».` : ""}`} />
          <${Pager} page=${page} pages=${Math.ceil(found["odata.count"] / PAGE)} total=${found["odata.count"]} onPage=${turn} />
          ${codes.choice && html`<div class="pager">${codes.choice}</div>`}
          <div class="pager"><span>${t`Todos, con estas columnas:`}</span><span class="actions"><${ExportButtons} onProblem=${setExportProblem}
            files=${[{ make: (format) => exportRecords(resource.name, { ...kept, filter }, format) }]} /></span></div>
          <${ProblemNote} problem=${exportProblem} />`}
      <//>`}
    </section>`;
}

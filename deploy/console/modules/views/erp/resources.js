/** Every resource that this user may use. */
import { FavouriteButton } from "../../components/favourite-button.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { TextField } from "../../components/fields.js";
import { PageHead } from "../../components/page.js";
import { readOffer } from "../../api/records.js";
import { html, useState } from "../../html.js";
import { hrefTo } from "../../addresses.js";
import { t } from "../../texts.js";
import { plain } from "../../finding/spellings.js";
import { sortedAreas, titleOfArea } from "../../titles.js";

const nameOf = (resource) => resource.title ?? resource.name;

export function ResourcesPage() {
  const offer = useLoaded(readOffer, []);
  const [words, setWords] = useState("");
  return html`<${PageHead} title=${t`Registros del ERP`} about=${t`Lo que sus permisos alcanzan.`} />
    <${Loaded} from=${offer} what=${t`Leyendo qué registros hay…`}>
      ${({ items }) => {
        const found = items.filter((each) => each.methods.includes("GET") && plain(`${nameOf(each)} ${each.name}`).includes(plain(words)));
        const sorted = found.sort((one, other) => nameOf(one).localeCompare(nameOf(other), "es"));
        return html`<${TextField} label=${t`Buscar`} type="search" value=${words} onInput=${setWords} />
          ${areasOf(sorted).map(([area, resources]) => html`<${Group} key=${area} title=${titleOfArea(area)} resources=${resources} />`)}
          ${!sorted.length && html`<p class="empty-note" role="status">${t`Nada se llama así. Pruebe con menos letras.`}</p>`}`;
      }}
    <//>`;
}

/** Resources by what they belong to; those that belong to nothing come last. */
function areasOf(resources) {
  const areas = [...sortedAreas([...new Set(resources.map(({ area }) => area))]), null];
  return areas.map((area) => [area, resources.filter((each) => each.area === area)]).filter(([, found]) => found.length);
}

function Group({ title, resources }) {
  return html`<section class="stack tight">
    <h2>${title}</h2>
    <ul class="links">
      ${resources.map((each) => html`<li key=${each.name}><${FavouriteButton} path=${`/erp/${each.name}`} title=${nameOf(each)} isAmongOthers /><a href=${hrefTo(["erp", each.name])}>${nameOf(each)}</a>${!each.methods.includes("PATCH") && html`<span class="note">${t`de consulta`}</span>`}</li>`)}
    </ul>
  </section>`;
}

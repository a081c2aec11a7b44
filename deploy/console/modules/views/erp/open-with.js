/** The lists of what is open with a partner. */
import { hrefTo } from "../../addresses.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";

export const STATUS = "DocumentStatus";
const OPEN = "bost_Open";
const PARTNER = "CardCode";

/** Lists of what is open with a partner: nothing is read before one of them is opened. */
export function OpenWith({ record, described, offer }) {
  const kind = record.CardType === "cSupplier" ? "supplier" : "customer";
  const resources = described.documents.filter(({ partner }) => partner === kind).map(({ resource }) => offer.items.find(({ name, methods }) => name === resource && methods.includes("GET")));
  const lists = resources.filter((each) => each && [PARTNER, STATUS].every((name) => each.columns.some((column) => column.name === name)));
  if (!lists.length) return null;
  const conditions = JSON.stringify([{ name: PARTNER, operator: "eq", value: record[PARTNER] }, { name: STATUS, operator: "eq", value: OPEN }]);
  return html`<nav class="panel" aria-labelledby="open-title"><header><h2 id="open-title">${t`Abierto con este socio`}</h2></header>
    <ul class="actions">${lists.map((each) => html`<li key=${each.name}><a class="button small" href=${hrefTo(["erp", each.name], { filtro: conditions })}>${each.title ?? each.name}</a></li>`)}</ul>
  </nav>`;
}

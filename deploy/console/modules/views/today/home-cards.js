/** What is to be done today, in figures: each with its sum, its list and when it was read. */
import { readHome } from "../../api/gateway.js";
import { useLoaded } from "../../components/loading.js";
import { ProblemNote } from "../../components/problem-note.js";
import { hourOf, moneyTexts, number } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { hrefOfCard } from "./card-links.js";

/** The figures in their order, with the resource that each is of. @type {Record<string, {title: string, resource: string}>} */
const FIGURES = {
  orders_due: { title: t`Pedidos que vencen`, resource: "Orders" },
  invoices_overdue: { title: t`Facturas vencidas por cobrar`, resource: "Invoices" },
  supplier_invoices_overdue: { title: t`Facturas vencidas por pagar`, resource: "PurchaseInvoices" },
  low_stock: { title: t`Artículos bajo su mínimo`, resource: "Items" },
};

/** Figures come after the rest of the page, into places that are kept for them. @param {{offer: {items: any[]}}} props */
export function HomeCards({ offer }) {
  const found = useLoaded(readHome, []);
  const expected = Object.keys(FIGURES).filter((name) => offer.items.some((each) => each.name === FIGURES[name].resource && each.methods.includes("GET")));
  const cards = found.data ? found.data.cards.filter(({ name }) => Object.hasOwn(FIGURES, name)) : expected.map((name) => ({ name, state: null }));
  return html`<${ProblemNote} problem=${found.problem} onRetry=${found.load} />
    ${cards.length > 0 && !found.problem && html`<ul class="today" aria-busy=${found.isLoading ? "true" : undefined}>${cards.map((card) => html`<li key=${card.name}><${Card} card=${card} /></li>`)}</ul>`}`;
}

/** One figure. All its lines are always there, so that the page doesn't move when the figures come. */
function Card({ card }) {
  const { title } = FIGURES[card.name];
  if (card.state === null) return html`<${Lines} title=${title} count="…" />`;
  const { state, count, sums, isPartial, readAt } = card;
  const href = hrefOfCard(card);
  const isRead = state !== "unavailable" && count !== null;
  const when = readAt && (state === "stale" ? t`leído ${hourOf(readAt)}, puede haber cambiado` : t`leído ${hourOf(readAt)}`);
  const about = isRead ? [when, isPartial && t`suma de los primeros 500`].filter(Boolean).join(" · ") : t`El ERP no lo dice ahora.`;
  return html`<${Lines} title=${href ? html`<a href=${href}>${title}</a>` : title} count=${isRead ? number(count) : "–"} sums=${isRead && sums.length > 0 && moneyTexts(sums.map(({ currency, amount }) => [currency, amount])).join(" · ")} about=${about} />`;
}

function Lines({ title, count, sums = null, about = null }) {
  return html`<article class="card"><h2>${title}</h2><p class="count">${count}</p><p class="sums">${sums || "\u00a0"}</p><p class="small muted">${about || "\u00a0"}</p></article>`;
}

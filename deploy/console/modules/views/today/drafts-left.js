/** What a person left half typed, on this machine: where it goes on, and how it is removed. */
import { moment } from "../../formats.js";
import { dropDraft, listDrafts } from "../../forms/drafts.js";
import { html, useState } from "../../html.js";
import { t } from "../../texts.js";

/** @param {{services: {owner: () => string}[]}} props */
export function DraftsLeft({ services }) {
  const [, drawAgain] = useState(0);
  const left = services.flatMap((service) => listDrafts(service.owner()).map((draft) => ({ ...draft, owner: service.owner() }))).filter(({ href }) => href);
  if (!left.length) return null;
  const remove = ({ owner, name }) => {
    dropDraft(owner, name);
    drawAgain((times) => times + 1);
  };
  return html`<section class="panel"><header><h2>${t`Sin guardar`}</h2></header>
    <ul class="links">${left.map((draft) => html`<li key=${`${draft.owner} ${draft.name}`}>
      <a href=${draft.href}>${draft.title || t`Sin título`}</a> <span class="small muted">${moment(draft.at)}</span>
      <button type="button" class="plain small" onClick=${() => remove(draft)} aria-label=${t`Descartar lo escrito en ${draft.title}`}>${t`Descartar`}</button></li>`)}</ul>
    <p class="small muted">${t`Queda hasta siete días en este equipo, o hasta que salga.`}</p>
  </section>`;
}

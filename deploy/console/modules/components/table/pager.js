/** The pages of a list. */
import { plural } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";

export function Pager({ page, pages, total, onPage, what = t`registros`, one = what === t`registros` ? t`registro` : what }) {
  return html`<nav class="pager" aria-label=${t`Páginas`}>
    <span role="status">${t`${plural(total, one, what)}, página ${page} de ${Math.max(pages, 1)}`}</span>
    <span class="actions">
      <button type="button" class="small" disabled=${page <= 1} onClick=${() => onPage(page - 1)}>${t`Anterior`}</button>
      <button type="button" class="small" disabled=${page >= pages} onClick=${() => onPage(page + 1)}>${t`Siguiente`}</button>
    </span>
  </nav>`;
}

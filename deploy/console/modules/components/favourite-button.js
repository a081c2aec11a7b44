/** The star that puts a page into the navigation. */
import { favourites, toggleFavourite } from "../favourites.js";
import { html } from "../html.js";
import { useStore } from "../store.js";
import { t } from "../texts.js";

/** @param {{path: string, title: string, isAmongOthers?: boolean}} props `isAmongOthers`: whether its name must say which page it means */
export function FavouriteButton({ path, title, isAmongOthers = false }) {
  const isOn = useStore(favourites).some((each) => each.path === path);
  return html`<button type="button" class="plain star" aria-pressed=${String(isOn)} aria-label=${isAmongOthers ? t`Favorito: ${title}` : t`Favorito`} title=${isOn ? t`Quitar de favoritos` : t`Poner en favoritos`}
    onClick=${() => toggleFavourite({ path, title })}><span aria-hidden="true">${isOn ? "★" : "☆"}</span></button>`;
}

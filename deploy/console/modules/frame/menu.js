/** The navigation beside the page. */
import { favourites } from "../favourites.js";
import { html } from "../html.js";
import { navigationOf } from "../navigation.js";
import { LOOKS } from "../preferences.js";
import { DOORS } from "../session/doors.js";
import { useStore } from "../store.js";
import { t } from "../texts.js";
import { Look } from "./look.js";

export function Navigation({ at }) {
  const groups = navigationOf(useStore(DOORS.gateway.session), useStore(DOORS.returns.session), useStore(favourites));
  const paths = groups.flatMap(({ entries }) => entries.map(([path]) => path));
  return html`<nav aria-label=${t`Principal`}>
    ${groups.map((group) => html`<div key=${group.title}>
      <h2>${group.title}</h2>
      <ul>
        ${group.entries.map(([path, text]) => html`<li><a href=${`#${path}`} aria-current=${isAt(at, path, paths) ? "page" : undefined}>${text}</a></li>`)}
      </ul>
    </div>`)}
    ${Object.keys(LOOKS).map((name) => html`<${Look} key=${name} name=${name} />`)}
  </nav>`;
}

/** Whether this is the entry of the page: the longest one that the page lies under. */
function isAt(at, path, paths) {
  const here = at.path.replace(/\/$/, "") || "/";
  const under = (entry) => here === entry || (entry !== "/" && here.startsWith(`${entry}/`));
  const longest = paths.filter(under).sort((one, other) => other.length - one.length)[0];
  return longest === path;
}

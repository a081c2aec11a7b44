/** A page's head: title, where it hangs, what can be done. The title gets the focus when one comes from another page. */
import { html, useEffect, useRef } from "../html.js";
import { lastAt, markReturn, place } from "../router.js";
import { t } from "../texts.js";
import { noteOpened } from "../session/opened.js";

let hasMoved = false;
place.subscribe(() => (hasMoved = true));

/** @param {{title: string, crumbs?: string[][], about?: any, children?: any, openedAt?: {base: string, person: () => string}, openedNote?: string}} props `openedAt`: the service of a record, which its person finds again on the first page with `openedNote` */
export function PageHead({ title, crumbs = [], about, children, openedAt, openedNote = "" }) {
  const heading = useRef(null);
  useEffect(() => {
    document.title = `${title} · ${t`Consola`}`;
    if (openedAt) noteOpened(openedAt, place.get().path, title, openedNote);
  }, [title, openedNote]);
  useEffect(() => {
    if (hasMoved && (document.activeElement === document.body || !document.activeElement?.closest("dialog, main"))) {
      heading.current.focus({ preventScroll: true });
    }
  }, []);
  return html`<header class="page-head">
    <div class="about">
      ${crumbs.length > 0 &&
      html`<nav class="crumbs" aria-label=${t`Ruta`}>
        ${crumbs.map(([href, text], at) => html`${at > 0 && " / "}<a href=${lastAt(href)} onClick=${() => markReturn(lastAt(href))}>${text}</a>`)}
      </nav>`}
      <h1 tabindex="-1" ref=${heading}>${title}</h1>
      ${about && html`<p class="muted">${about}</p>`}
    </div>
    ${children && html`<div class="actions">${children}</div>`}
  </header>`;
}

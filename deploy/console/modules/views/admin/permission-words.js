/** Permissions of one person, in words. */
import { Badge } from "../../components/badge.js";
import { plural } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { inWords } from "./roles.js";

const NAMED = 8; // titles in one sentence
const named = (titles) => titles.slice(0, NAMED).join(", ") + (titles.length > NAMED ? t` y ${plural(titles.length - NAMED, t`más`, t`más`)}` : "");

/** @param {{paths: string[], catalogue: import("./roles.js").Catalogue | null}} props */
export function PermissionWords({ paths, catalogue }) {
  if (!catalogue || !paths.length) return html`<span class="mono small">${paths.join("  ") || t`nada`}</span>`;
  const { administers, roles, areas, reads, writes, unknown } = inWords(paths, catalogue);
  if (administers) return html`<${Badge} kind="now">${t`Todo, también administrar`}<//>`;
  return html`${roles.map((name) => html`<${Badge} key=${name} kind="now">${name}<//> `)}
    ${areas.length > 0 && html`<span>${t`Todo en ${areas.join(", ")}.`} </span>`}${writes.length > 0 && html`<span>${t`Escribir: ${named(writes)}.`} </span>`}${reads.length > 0 && html`<span>${t`Leer o usar: ${named(reads)}.`}</span>`}
    ${unknown.length > 0 && html`<span class="note"><${Badge} kind="warn">${unknown.length === 1 ? t`Ruta desconocida` : t`Rutas desconocidas`}<//> <span class="mono">${unknown.join("  ")}</span></span>`}`;
}

/** What a person gains and loses, in words. */
import { Note } from "../../components/note.js";
import { plural } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { gainOf } from "./menu-routes.js";

const NAMED = 12; // titles in one sentence

export function PermissionChanges({ user, before, after, known }) {
  const gained = after.filter((path) => !before.includes(path));
  const lost = before.filter((path) => !after.includes(path));
  if (!gained.length && !lost.length) return null;
  return html`<${Note} kind=${lost.length ? "warn" : "info"} title=${t`Qué cambia para ${user || t`esta persona`}`}>
    ${gained.length > 0 && html`<p>${t`Gana:`} <span class="mono">${gained.join("  ")}</span></p><${InWords} gain=${gainOf(before, after, known ?? [])} />`}
    ${lost.length > 0 && html`<p>${t`Pierde:`} <span class="mono">${lost.join("  ")}</span></p><${InWords} gain=${gainOf(after, before, known ?? [])} />`}<//>`;
}

function InWords({ gain: { administers, reads, writes } }) {
  const named = (titles) => titles.slice(0, NAMED).join(", ") + (titles.length > NAMED ? ` y ${plural(titles.length - NAMED, t`más`, t`más`)}` : "");
  return html`${administers && html`<p>${t`Administrar: permisos, sesiones, auditoría y todo lo demás.`}</p>`}${reads.length > 0 && html`<p>${t`Leer o usar: ${named(reads)}.`}</p>`}${writes.length > 0 && html`<p>${t`Escribir: ${named(writes)}.`}</p>`}`;
}

/** What somebody could write without seeing what its forms look up. */
import { Note } from "../../components/note.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { giving } from "./menu-routes.js";

/** @param {{lacks: {title: string, lacks: string[], routes: string[]}[], patterns: string[], onChange: (patterns: string[]) => void}} props */
export function PermissionLacks({ lacks, patterns, onChange }) {
  if (!lacks.length) return null;
  const routes = [...new Set(lacks.flatMap((each) => each.routes))];
  return html`<${Note} kind="warn" title=${t`Falta para trabajar con lo elegido`}>
    <ul>${lacks.map((each) => html`<li key=${each.title}>${t`${each.title} necesita leer: ${each.lacks.join(", ")}.`}</li>`)}</ul>
    <div class="actions"><button type="button" class="small" onClick=${() => onChange(giving(patterns, routes))}>${t`Agregar lo que falta`}</button></div>
  <//>`;
}

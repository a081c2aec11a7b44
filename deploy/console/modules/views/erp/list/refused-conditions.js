/** Conditions that cannot be sent. */
import { Note } from "../../../components/note.js";
import { inWords } from "../../../finding/conditions.js";
import { html } from "../../../html.js";
import { t } from "../../../texts.js";

/** Conditions that nothing can be asked with: what they leave out would be shown as if it matched. */
export function Refused({ refused, columns }) {
  return html`<${Note} kind="warn" title=${t`El filtro no se puede aplicar.`}>
    <p>${t`No se muestra nada: ${refused.map(({ condition, fault }) => (condition ? t`«${inWords(condition, columns)}»: ${fault}` : fault)).join(" ")}`}</p>
  <//>`;
}

/** Views of a list that a person has named: columns, conditions and sorting, each an address. They stay in this browser. */
import { TextField } from "../../components/fields.js";
import { Note } from "../../components/note.js";
import { say } from "../../components/toasts.js";
import { Form } from "../../components/form.js";
import { html, useState } from "../../html.js";
import { keepViews, readViews } from "../../preferences.js";
import { t } from "../../texts.js";
import { gateway } from "../../session/gateway-session.js";

const LONGEST_NAME = 60;

/**
 * @param {{list: string, address: string}} props `address`: of the list as it is shown, with everything that makes it so
 */
export function SavedViews({ list, address }) {
  const [person] = useState(() => gateway.person());
  const [views, setViews] = useState(() => readViews(person, list));
  const [name, setName] = useState("");
  const [isLost, setLost] = useState(false);
  const wanted = name.trim();
  const link = new URL(address, location.href).href;
  const [isUncopied, setUncopied] = useState(false);
  const put = (change) => {
    const next = change(isLost ? views : readViews(person, list)); // another tab may have kept some
    setLost(!keepViews(person, list, next));
    setViews(next);
  };
  const save = () => {
    if (!wanted) return;
    put((now) => ({ ...now, [wanted]: address }));
    setName("");
  };
  const remove = (each) => put((now) => Object.fromEntries(Object.entries(now).filter(([other]) => other !== each)));
  const share = async () => {
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      return setUncopied(true); // not allowed, or no clipboard at all
    }
    setUncopied(false);
    return say(t`Enlace copiado: quien lo abra ve lo que sus propios permisos alcanzan.`);
  };
  const names = Object.keys(views).sort((one, other) => one.localeCompare(other, "es"));
  return html`<section class="panel" aria-label=${t`Vistas`}><div class="stack">
    ${names.length > 0
      ? html`<ul class="actions" aria-label=${t`Vistas guardadas`}>${names.map((each) => html`<li key=${each} class="chip">
          <a href=${views[each]} aria-current=${views[each] === address ? "true" : undefined}>${each}</a>
          <button type="button" class="plain" aria-label=${t`Quitar la vista ${each}`} onClick=${() => remove(each)}></button></li>`)}</ul>`
      : html`<p class="small muted">${t`Una vista guarda con un nombre las columnas, las condiciones y el orden de ahora.`}</p>`}
    ${isLost && html`<${Note} kind="warn">${t`Este navegador no guarda nada: la vista dura mientras esta página esté abierta.`}<//>`}
    ${isUncopied && html`<${Note} kind="warn" live title=${t`El navegador no permite copiar el enlace.`}><p>${t`Es este:`} <span class="mono">${link}</span></p><//>`}
    <${Form} submitsOnEnter class="row" onSubmit=${save}>
      <${TextField} grow label=${t`Nombre de la vista`} value=${name} onInput=${setName} inputProps=${{ maxLength: LONGEST_NAME, autocomplete: "off" }} />
      <button type="submit" disabled=${!wanted}>${Object.hasOwn(views, wanted) ? t`Reemplazar` : t`Guardar esta vista`}</button>
      <button type="button" onClick=${share}>${t`Copiar enlace`}</button>
    <//>
  </div></section>`;
}

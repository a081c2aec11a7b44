/** Reasons to ask once more before permissions are saved. */
import { listPermissions, readAudit } from "../../api/gateway.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";

/** What is to be said where somebody else changed the permissions since they were read; null where nobody did. */
export async function changeOf({ webUser, paths }) {
  const held = (await listPermissions()).find((each) => each.webUser === webUser)?.paths ?? [];
  if (held.join() === paths.join()) return null;
  const text = html`${t`Las rutas de arriba reemplazarán a las de ahora:`} <span class="mono">${held.join("  ") || t`ninguna`}</span>`;
  return { title: t`Otra persona cambió los permisos de ${webUser} mientras tanto.`, text, word: t`Reemplazar` };
}

/** What is to be said before permissions are given to a name, null where nothing is; `people` is null where the ERP did not tell. */
export async function doubtAbout(user, people) {
  const held = (await listPermissions()).find((each) => each.webUser === user && each.paths.length > 0);
  if (held) {
    const text = html`${t`Las rutas de arriba reemplazarán a estas:`} <span class="mono">${held.paths.join("  ")}</span>`;
    return { title: t`${user} ya tiene permisos.`, text, word: t`Reemplazar` };
  }
  if (people) {
    const person = people.find((each) => each.webUser === user);
    if (person?.active) return null;
    const word = t`Guardar de todos modos`;
    if (person) return { title: t`${user} está inactivo en el ERP.`, text: t`${person.fullName} no puede entrar mientras lo esté.`, word };
    return { title: t`En el ERP nadie se llama ${user}.`, text: t`Ningún empleado tiene ese usuario web: compárelo con el del ERP, también las mayúsculas.`, word };
  }
  const { total } = await readAudit({ usuario: user, accion: "login", pageSize: 1 });
  if (total > 0) return null;
  const text = t`La auditoría no tiene ninguna entrada suya. Puede ser alguien nuevo, o un nombre mal escrito: compárelo con el del ERP, también las mayúsculas.`;
  return { title: t`Nadie ha entrado como ${user}.`, text, word: t`Guardar de todos modos` };
}

/** What is to be said where forms would find nothing; null where they have what they need. @param {{title: string, lacks: string[]}[]} lacks */
export function lackDoubt(lacks) {
  if (!lacks.length) return null;
  const [first] = lacks;
  const text = t`Por ejemplo, ${first.title} necesita leer ${first.lacks.join(", ")}: sin eso sus formularios no encuentran nada. Arriba puede agregarlo.`;
  return { title: t`Faltan permisos para trabajar con lo elegido.`, text, word: t`Guardar de todos modos`, isAboutRoutes: true };
}

/** The dialog that gives, changes and removes the permissions of one person. */
import { Dialog } from "../../components/dialog.js";
import { TextArea } from "../../components/fields.js";
import { useInSight } from "../../components/in-sight.js";
import { Note } from "../../components/note.js";
import { ProblemNote } from "../../components/problem-note.js";
import { holding, ValueHelp } from "../../components/value-help.js";
import { html, useMemo } from "../../html.js";
import { t } from "../../texts.js";
import { treeOf, unknownOf } from "./menu-routes.js";
import { PermissionChanges } from "./permission-changes.js";
import { PermissionLacks } from "./permission-lacks.js";
import { usePermission } from "./permission-state.js";
import { RoleChoice } from "./role-choice.js";
import { RouteTree } from "./route-tree.js";

/**
 * @param {object} props
 * @param {{webUser: string, paths: string[], updatedAt?: string}} props.permission
 * @param {{webUser: string, paths: string[]}[]} props.all permissions of everybody
 * @param {import("./roles.js").Catalogue | null} props.catalogue
 * @param {() => void} props.onClose
 * @param {(text: string) => void} props.onDone
 */
export function PermissionDialog({ permission, all, catalogue, onClose, onDone }) {
  const known = catalogue?.known ?? null;
  const state = usePermission(permission, known, onDone);
  const { isNew, user, paths, doubt, isBusy, isRemoving, problem, form } = state;
  const close = () => form.leave(onClose);
  const choose = (patterns) => state.change(patterns.join("\n"));
  const doubtBox = useInSight(doubt);
  const tree = useMemo(() => known && treeOf(known), [known]);
  return html`<${Dialog} large form=${form} title=${isNew ? t`Dar permisos` : t`Permisos de ${user}`} onClose=${close} onSubmit=${state.save}
      foot=${html`${!isNew && html`<button type="button" class="danger" disabled=${isBusy} onClick=${state.remove}>${isRemoving ? t`Sí, quitar todos` : t`Quitar todos`}</button>`}
        <button type="button" onClick=${close}>${t`Cancelar`}</button>
        <button type="submit" class="main" disabled=${isBusy || isRemoving || !user.trim()}>${doubt ? doubt.word : t`Guardar`}</button>`}>
    ${isNew && html`<${WebUser} people=${state.people} typed=${state.typed} onType=${state.type} />`}
    <${RoleChoice} roles=${catalogue?.roles ?? []} others=${all.filter((each) => each.webUser !== user && each.paths.length > 0)} patterns=${paths} onChange=${choose} />
    ${tree && html`<${RouteTree} tree=${tree} patterns=${paths} onChange=${choose} />`}
    <${TextArea} label=${t`Rutas`} value=${state.text} onInput=${state.change} hint=${t`Lo elegido arriba, una por línea. Aquí se agregan también las que usan otras aplicaciones.`} inputProps=${{ spellcheck: false, class: "mono", rows: 4 }} fault=${problem?.errors.find(({ path }) => path.startsWith("paths"))?.message} />
    <${UnknownRoutes} routes=${known ? unknownOf(paths, known) : []} />
    <${PermissionLacks} lacks=${state.lacks} patterns=${paths} onChange=${choose} />
    <${PermissionChanges} user=${user} before=${permission.paths} after=${state.after} known=${known} />
    <div ref=${doubtBox}>${doubt && html`<${Note} kind="warn" title=${doubt.title}><p>${doubt.text}</p><//>`}</div>
    <${ProblemNote} problem=${problem} />
  <//>`;
}

function WebUser({ people, typed, onType }) {
  const options = people.filter((each) => each.active && each.webUser !== typed).map((each) => ({ value: each.webUser, label: each.fullName }));
  return html`<${ValueHelp} label=${t`Usuario web`} value=${typed} onInput=${onType} needed hint=${t`Exactamente como está en el ERP.`} inputProps=${{ autocapitalize: "none", spellcheck: false }} options=${holding(options, typed)} />`;
}

/** Routes that nothing here asks for. */
function UnknownRoutes({ routes }) {
  if (!routes.length) return null;
  return html`<${Note} kind="warn" title=${routes.length === 1 ? t`Una ruta no se conoce aquí` : t`${routes.length} rutas no se conocen aquí`}>
    <p><span class="mono">${routes.join("  ")}</span>${t`: puede ser de otra aplicación o estar mal escrita.`}</p><//>`;
}

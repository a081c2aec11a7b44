/** Menu permissions: who may use which routes. */
import { Badge } from "../../components/badge.js";
import { Dialog, Note, ProblemNote, say, useInSight } from "../../components/feedback.js";
import { TextArea } from "../../components/fields.js";
import { ValueHelp, holding } from "../../components/value-help.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Table } from "../../components/table.js";
import { asProblem } from "../../api/problem.js";
import { listMenuRoutes, listPeople, listPermissions, readAudit, removePermissions, replacePermissions } from "../../api/gateway.js";
import { moment, plural } from "../../formats.js";
import { html, useMemo, useState } from "../../html.js";
import { t } from "../../texts.js";
import { useForm } from "../../forms/form.js";
import { gateway } from "../../session/gateway-session.js";
import { actorOf } from "./audit-words.js";
import { EVERYTHING, gainOf, treeOf, unknownOf } from "./menu-routes.js";
import { RouteTree } from "./route-tree.js";

const readAll = async () => {
  const [items, known] = await Promise.all([listPermissions(), listMenuRoutes().catch(() => null)]); // routes can be typed without
  return { items, known };
};

export function PermissionsPage() {
  const found = useLoaded(readAll, []);
  const [edited, setEdited] = useState(null);
  const done = (text) => {
    setEdited(null);
    say(text);
    found.load();
  };
  const columns = [
    { key: "webUser", title: t`Usuario web`, head: true, cell: (row) => row.webUser },
    { key: "paths", title: t`Puede usar`, cell: (row) => html`<${Paths} paths=${row.paths} known=${found.data.known} />` },
    { key: "updatedAt", title: t`Cambiado`, cell: (row) => html`${moment(row.updatedAt)}<span class="note">${t`por ${actorOf(row.updatedBy)}`}</span>` },
    { key: "edit", title: t`Cambiar`, quiet: true, controls: true, cell: (row) => html`<button type="button" class="small" aria-label=${t`Cambiar los permisos de ${row.webUser}`} onClick=${() => setEdited(row)}>${t`Cambiar`}</button>` },
  ];
  return html`<${PageHead} title=${t`Permisos`} about=${t`Qué puede usar cada usuario web. Los cambios actúan de inmediato, también en sesiones abiertas.`}>
      <button type="button" class="main" disabled=${!found.data} onClick=${() => setEdited({ webUser: "", paths: [] })}>${t`Dar permisos`}</button>
    <//>
    <${Loaded} from=${found}>${({ items }) => html`<section class="panel flush"><${Table} caption=${t`Permisos`} columns=${columns} rows=${items} rowKey=${(row) => row.webUser} /></section>`}<//>
    ${edited && html`<${PermissionDialog} key=${edited.webUser} permission=${edited} known=${found.data.known} onClose=${() => setEdited(null)} onDone=${done} />`}`;
}

function Paths({ paths, known }) {
  if (paths.includes(EVERYTHING)) return html`<${Badge} kind="now">${t`Todo, también administrar`}<//>`;
  const unknown = known ? unknownOf(paths, known) : [];
  return html`<span class="mono small">${paths.join("  ") || t`nada`}</span>
    ${unknown.length > 0 && html`<span class="note"><${Badge} kind="warn">${unknown.length === 1 ? t`Ruta desconocida` : t`Rutas desconocidas`}<//> <span class="mono">${unknown.join("  ")}</span></span>`}`;
}

function PermissionDialog({ permission, known, onClose, onDone }) {
  const isNew = permission.webUser === "";
  const [typed, setTyped] = useState(permission.webUser);
  const [doubt, setDoubt] = useState(null); // what speaks against saving as if nothing else were so
  const [text, setText] = useState(permission.paths.join("\n"));
  const [isRemoving, setRemoving] = useState(false);
  const people = useLoaded(() => (isNew ? listPeople() : Promise.resolve([])), []);
  const [state, setState] = useState({ isBusy: false, problem: null });
  const act = async (work, told) => {
    setState({ isBusy: true, problem: null });
    try {
      await work();
      form.saved();
      onDone(told);
    } catch (error) {
      setState({ isBusy: false, problem: asProblem(error) });
    }
  };
  const user = isNew ? typed.trim() : typed;
  const type = (name) => {
    setTyped(name);
    setDoubt(null);
  };
  const change = (next) => {
    setText(next);
    setRemoving(false);
  };
  const give = () => act(() => replacePermissions(user, paths), t`Permisos de ${user} guardados.`);
  const giveUnlessInDoubt = async () => {
    setState({ isBusy: true, problem: null });
    try {
      const found = await (isNew ? doubtAbout(user, people.data) : changeOf(permission));
      if (!found) return await give();
      setDoubt(found);
      setState({ isBusy: false, problem: null });
    } catch (error) {
      setState({ isBusy: false, problem: asProblem(error) });
    }
  };
  const paths = text.split("\n").map((line) => line.trim()).filter(Boolean);
  const isTouched = (isNew && typed !== "") || text !== permission.paths.join("\n");
  const form = useForm({
    service: gateway, name: `permisos/${permission.webUser}`, typed: { user: typed, text }, isTouched, isHeld: isTouched && !state.isBusy,
    restore: (draft) => {
      setTyped(draft.user);
      setText(draft.text);
    },
    stamp: permission.updatedAt ?? null, refusal: state.problem,
  });
  const close = () => form.leave(onClose);
  const doubtBox = useInSight(doubt);
  const tree = useMemo(() => known && treeOf(known), [known]);
  const unknown = known ? unknownOf(paths, known) : [];
  const after = isRemoving ? [] : paths;
  const gained = after.filter((path) => !permission.paths.includes(path));
  const lost = permission.paths.filter((path) => !after.includes(path));
  const remove = () => (isRemoving ? act(() => removePermissions(user), t`Permisos de ${user} quitados.`) : setRemoving(true));
  return html`<${Dialog} large form=${form} title=${isNew ? t`Dar permisos` : t`Permisos de ${user}`} onClose=${close} onSubmit=${doubt ? give : giveUnlessInDoubt}
      foot=${html`${!isNew && html`<button type="button" class="danger" disabled=${state.isBusy} onClick=${remove}>${isRemoving ? t`Sí, quitar todos` : t`Quitar todos`}</button>`}
        <button type="button" onClick=${close}>${t`Cancelar`}</button>
        <button type="submit" class="main" disabled=${state.isBusy || isRemoving || !user.trim()}>${doubt ? doubt.word : t`Guardar`}</button>`}>
    ${isNew && html`<${ValueHelp} label=${t`Usuario web`} value=${typed} onInput=${type} needed hint=${t`Exactamente como está en el ERP.`} inputProps=${{ autocapitalize: "none", spellcheck: false }}
      options=${holding((people.data ?? []).filter((each) => each.active && each.webUser !== typed).map((each) => ({ value: each.webUser, label: each.fullName })), typed)} />`}
    ${tree && html`<${RouteTree} tree=${tree} patterns=${paths} onChange=${(patterns) => change(patterns.join("\n"))} />`}
    <${TextArea} label=${t`Rutas`} value=${text} onInput=${change} hint=${t`Lo elegido arriba, una por línea. Aquí se agregan también las que usan otras aplicaciones.`} inputProps=${{ spellcheck: false, class: "mono", rows: 4 }} fault=${state.problem?.errors.find(({ path }) => path.startsWith("paths"))?.message} />
    ${unknown.length > 0 && html`<${Note} kind="warn" title=${unknown.length === 1 ? t`Una ruta no se conoce aquí` : t`${unknown.length} rutas no se conocen aquí`}>
      <p><span class="mono">${unknown.join("  ")}</span>${t`: puede ser de otra aplicación o estar mal escrita.`}</p><//>`}
    ${(gained.length > 0 || lost.length > 0) && html`<${Note} kind=${lost.length ? "warn" : "info"} title=${t`Qué cambia para ${user || t`esta persona`}`}>
      ${gained.length > 0 && html`<p>${t`Gana:`} <span class="mono">${gained.join("  ")}</span></p><${InWords} gain=${gainOf(permission.paths, after, known ?? [])} />`}
      ${lost.length > 0 && html`<p>${t`Pierde:`} <span class="mono">${lost.join("  ")}</span></p><${InWords} gain=${gainOf(after, permission.paths, known ?? [])} />`}<//>`}
    <div ref=${doubtBox}>${doubt && html`<${Note} kind="warn" title=${doubt.title}><p>${doubt.text}</p><//>`}</div>
    <${ProblemNote} problem=${state.problem} />
  <//>`;
}

const NAMED = 12; // of what somebody gains or loses

function InWords({ gain: { administers, reads, writes } }) {
  const named = (titles) => titles.slice(0, NAMED).join(", ") + (titles.length > NAMED ? ` y ${plural(titles.length - NAMED, t`más`, t`más`)}` : "");
  return html`${administers && html`<p>${t`Administrar: permisos, sesiones, auditoría y todo lo demás.`}</p>`}${reads.length > 0 && html`<p>${t`Leer o usar: ${named(reads)}.`}</p>`}${writes.length > 0 && html`<p>${t`Escribir: ${named(writes)}.`}</p>`}`;
}

/** What is to be said where somebody else changed the permissions since they were read; null where nobody did. */
async function changeOf({ webUser, paths }) {
  const held = (await listPermissions()).find((each) => each.webUser === webUser)?.paths ?? [];
  if (held.join() === paths.join()) return null;
  const text = html`${t`Las rutas de arriba reemplazarán a las de ahora:`} <span class="mono">${held.join("  ") || t`ninguna`}</span>`;
  return { title: t`Otra persona cambió los permisos de ${webUser} mientras tanto.`, text, word: t`Reemplazar` };
}

/** What is to be said before permissions are given to a name, null where nothing is; `people` is null where the ERP did not tell. */
async function doubtAbout(user, people) {
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

/** Permissions of one person, changed. */
import { listPeople, removePermissions, replacePermissions } from "../../api/gateway.js";
import { asProblem } from "../../api/problem.js";
import { Dialog } from "../../components/dialog.js";
import { TextArea } from "../../components/fields.js";
import { useInSight } from "../../components/in-sight.js";
import { useLoaded } from "../../components/loading.js";
import { Note } from "../../components/note.js";
import { ProblemNote } from "../../components/problem-note.js";
import { holding, ValueHelp } from "../../components/value-help.js";
import { plural } from "../../formats.js";
import { useForm } from "../../forms/form.js";
import { html, useMemo, useState } from "../../html.js";
import { gateway } from "../../session/gateway-session.js";
import { t } from "../../texts.js";
import { gainOf, treeOf, unknownOf } from "./menu-routes.js";
import { changeOf, doubtAbout } from "./permission-doubts.js";
import { RouteTree } from "./route-tree.js";

export function PermissionDialog({ permission, known, onClose, onDone }) {
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

/** Menu permissions: who may use which routes. */
import { Dialog, Note, ProblemNote, say } from "../../components/feedback.js";
import { TextArea, TextField } from "../../components/fields.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Table } from "../../components/table.js";
import { asProblem } from "../../api/problem.js";
import { listPermissions, removePermissions, replacePermissions } from "../../api/gateway.js";
import { moment } from "../../formats.js";
import { html, useState } from "../../html.js";
import { actorOf } from "./audit-words.js";

export function PermissionsPage() {
  const found = useLoaded(listPermissions, []);
  const [edited, setEdited] = useState(null);
  const done = (text) => {
    setEdited(null);
    say(text);
    found.load();
  };
  const columns = [
    { key: "webUser", title: "Usuario web", head: true, cell: (row) => row.webUser },
    { key: "paths", title: "Puede usar", cell: (row) => html`<span class="mono small">${row.paths.join("  ") || "nada"}</span>` },
    { key: "updatedAt", title: "Cambiado", cell: (row) => html`${moment(row.updatedAt)}<span class="note">por ${actorOf(row.updatedBy)}</span>` },
    { key: "edit", title: "Cambiar", quiet: true, controls: true, cell: (row) => html`<button type="button" class="small" aria-label=${`Cambiar los permisos de ${row.webUser}`} onClick=${() => setEdited(row)}>Cambiar</button>` },
  ];
  return html`<${PageHead} title="Permisos" about="Rutas de menú por usuario web. Actúan de inmediato, también en sesiones abiertas.">
      <button type="button" class="main" onClick=${() => setEdited({ webUser: "", paths: [] })}>Dar permisos</button>
    <//>
    <${Loaded} from=${found}>${(items) => html`<section class="panel flush"><${Table} caption="Permisos" columns=${columns} rows=${items} rowKey=${(row) => row.webUser} /></section>`}<//>
    ${edited && html`<${PermissionDialog} key=${edited.webUser} permission=${edited} onClose=${() => setEdited(null)} onDone=${done} />`}`;
}

function PermissionDialog({ permission, onClose, onDone }) {
  const isNew = permission.webUser === "";
  const [typed, setTyped] = useState(permission.webUser);
  const [before, setBefore] = useState(null); // what somebody has to whom permissions are given as if new
  const [text, setText] = useState(permission.paths.join("\n"));
  const [state, setState] = useState({ isBusy: false, problem: null });
  const act = async (work, told) => {
    setState({ isBusy: true, problem: null });
    try {
      await work();
      onDone(told);
    } catch (error) {
      setState({ isBusy: false, problem: asProblem(error) });
    }
  };
  const user = isNew ? typed.trim() : typed;
  const type = (name) => {
    setTyped(name);
    setBefore(null);
  };
  const give = () => act(() => replacePermissions(user, paths), `Permisos de ${user} guardados.`);
  const giveNew = async () => {
    setState({ isBusy: true, problem: null });
    try {
      const found = (await listPermissions()).find((each) => each.webUser === user && each.paths.length > 0);
      if (!found) return await give();
      setBefore(found);
      setState({ isBusy: false, problem: null });
    } catch (error) {
      setState({ isBusy: false, problem: asProblem(error) });
    }
  };
  const paths = text.split("\n").map((line) => line.trim()).filter(Boolean);
  return html`<${Dialog} title=${isNew ? "Dar permisos" : `Permisos de ${user}`} onClose=${onClose} onSubmit=${isNew && !before ? giveNew : give}
      foot=${html`${!isNew && html`<button type="button" class="danger" disabled=${state.isBusy} onClick=${() => act(() => removePermissions(user), `Permisos de ${user} quitados.`)}>Quitar todos</button>`}
        <button type="button" onClick=${onClose}>Cancelar</button>
        <button type="submit" class="main" disabled=${state.isBusy || !user.trim()}>${before ? "Reemplazar" : "Guardar"}</button>`}>
    ${isNew && html`<${TextField} label="Usuario web" value=${typed} onInput=${type} needed hint="Exactamente como está en el ERP." inputProps=${{ autocapitalize: "none", spellcheck: false }} />`}
    <${TextArea} label="Rutas" value=${text} onInput=${setText} hint="Una por línea: /ventas/pedidos para leer, /ventas/pedidos/* también para escribir, * para todo." inputProps=${{ spellcheck: false, class: "mono" }} fault=${state.problem?.of("paths")} />
    ${before && html`<${Note} kind="warn" title=${`${user} ya tiene permisos.`}>
      <p>Las rutas de arriba reemplazarán a estas: <span class="mono">${before.paths.join("  ")}</span></p>
    <//>`}
    <${ProblemNote} problem=${state.problem} />
  <//>`;
}

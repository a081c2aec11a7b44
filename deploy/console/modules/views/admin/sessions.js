/** Who is signed in to the gateway, and ending that. */
import { Dialog } from "../../components/dialog.js";
import { ProblemNote } from "../../components/problem-note.js";
import { say } from "../../components/toasts.js";
import { TextField } from "../../components/fields.js";
import { Form } from "../../components/form.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Table } from "../../components/table/table.js";
import { asProblem } from "../../api/problem.js";
import { endSession, liftLoginBlock, listSessions } from "../../api/gateway.js";
import { moment } from "../../formats.js";
import { html, useState } from "../../html.js";
import { t } from "../../texts.js";

export function SessionsPage() {
  const found = useLoaded(listSessions, []);
  const [ending, setEnding] = useState(null);
  const [problem, setProblem] = useState(null);
  const [blocked, setBlocked] = useState("");
  const act = async (work, told) => {
    setProblem(null);
    setEnding(null);
    try {
      await work();
      say(told);
      found.load();
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  const lift = () => {
    const user = blocked.trim();
    act(() => liftLoginBlock(user), t`${user} puede volver a intentar.`);
  };
  const columns = [
    { key: "webUser", title: t`Usuario web`, head: true, cell: (row) => row.webUser },
    { key: "fullName", title: t`Nombre`, cell: (row) => row.fullName },
    { key: "signedInAt", title: t`Entró`, cell: (row) => moment(row.signedInAt) },
    { key: "usedAt", title: t`Último uso`, cell: (row) => moment(row.usedAt) },
    { key: "expiresAt", title: t`Vence`, cell: (row) => moment(row.expiresAt) },
    { key: "end", title: t`Terminar`, quiet: true, controls: true, cell: (row) => html`<button type="button" class="small danger" aria-label=${t`Terminar la sesión de ${row.webUser}`} onClick=${() => setEnding(row)}>${t`Terminar`}</button>` },
  ];
  return html`<${PageHead} title=${t`Sesiones`} about=${t`Quién está dentro ahora.`}><button type="button" onClick=${found.load}>${t`Leer de nuevo`}</button><//>
    <${ProblemNote} problem=${problem} />
    <${Loaded} from=${found} what=${t`Leyendo las sesiones…`}>${(items) => html`<section class="panel flush"><${Table} caption=${t`Sesiones`} columns=${columns} rows=${items} rowKey=${(row) => row.webUser} empty=${t`Nadie.`} /></section>`}<//>
    ${(found.data || found.problem) && html`<section class="panel" aria-labelledby="blocked-title">
      <header><h2 id="blocked-title">${t`Intentos bloqueados`}</h2></header>
      <div class="stack tight"><p class="muted small">${t`Tras varias contraseñas erradas, quien lo intenta debe esperar; aquí se le deja volver a intentar.`}</p>
      <${Form} class="row" onSubmit=${lift}>
        <${TextField} label=${t`Usuario web`} value=${blocked} onInput=${setBlocked} inputProps=${{ autocapitalize: "none", spellcheck: false }} />
        <button type="submit" disabled=${!blocked.trim()}>${t`Levantar el bloqueo`}</button>
        <button type="button" disabled=${blocked === ""} onClick=${() => setBlocked("")}>${t`Cancelar`}</button>
      <//></div>
    </section>`}
    ${ending && html`<${Dialog} title=${t`Terminar la sesión de ${ending.fullName || ending.webUser}`} onClose=${() => setEnding(null)}
      onSubmit=${() => act(() => endSession(ending.webUser), t`La sesión de ${ending.webUser} terminó.`)} foot=${html`
        <button type="button" onClick=${() => setEnding(null)}>${t`Cancelar`}</button><button type="submit" class="danger main">${t`Terminar`}</button>`}>
      <p>${t`Tendrá que entrar de nuevo. Lo que ya envió al ERP no se deshace.`}</p>
    <//>`}`;
}

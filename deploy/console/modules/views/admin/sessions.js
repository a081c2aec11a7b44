/** Who is signed in to the gateway, and ending that. */
import { Dialog, ProblemNote, say } from "../../components/feedback.js";
import { TextField } from "../../components/fields.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { Table } from "../../components/table.js";
import { asProblem } from "../../api/problem.js";
import { endSession, liftLoginBlock, listSessions } from "../../api/gateway.js";
import { moment } from "../../formats.js";
import { html, useState } from "../../html.js";

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
  const lift = (event) => {
    event.preventDefault();
    const user = blocked.trim();
    act(() => liftLoginBlock(user), `${user} puede volver a intentar.`);
  };
  const columns = [
    { key: "webUser", title: "Usuario web", head: true, cell: (row) => row.webUser },
    { key: "fullName", title: "Nombre", cell: (row) => row.fullName },
    { key: "signedInAt", title: "Entró", cell: (row) => moment(row.signedInAt) },
    { key: "usedAt", title: "Último uso", cell: (row) => moment(row.usedAt) },
    { key: "expiresAt", title: "Vence", cell: (row) => moment(row.expiresAt) },
    { key: "end", title: "Terminar", quiet: true, controls: true, cell: (row) => html`<button type="button" class="small danger" aria-label=${`Terminar la sesión de ${row.webUser}`} onClick=${() => setEnding(row)}>Terminar</button>` },
  ];
  return html`<${PageHead} title="Sesiones" about="Quién está dentro ahora."><button type="button" onClick=${found.load}>Leer de nuevo</button><//>
    <${ProblemNote} problem=${problem} />
    <${Loaded} from=${found}>${(items) => html`<section class="panel flush"><${Table} caption="Sesiones" columns=${columns} rows=${items} rowKey=${(row) => row.webUser} empty="Nadie." /></section>`}<//>
    ${(found.data || found.problem) && html`<section class="panel" aria-labelledby="blocked-title">
      <header><h2 id="blocked-title">Intentos bloqueados</h2></header>
      <div class="stack tight"><p class="muted small">Tras varias contraseñas erradas, quien lo intenta debe esperar; aquí se le deja volver a intentar.</p>
      <form class="row" onSubmit=${lift}>
        <${TextField} label="Usuario web" value=${blocked} onInput=${setBlocked} inputProps=${{ autocapitalize: "none", spellcheck: false }} />
        <button type="submit" disabled=${!blocked.trim()}>Levantar el bloqueo</button>
      </form></div>
    </section>`}
    ${ending && html`<${Dialog} title=${`Terminar la sesión de ${ending.fullName || ending.webUser}`} onClose=${() => setEnding(null)}
      onSubmit=${() => act(() => endSession(ending.webUser), `La sesión de ${ending.webUser} terminó.`)} foot=${html`
        <button type="button" onClick=${() => setEnding(null)}>Cancelar</button><button type="submit" class="danger main">Terminar</button>`}>
      <p>Tendrá que entrar de nuevo. Lo que ya envió al ERP no se deshace.</p>
    <//>`}`;
}

/** The first page: the two sign-ins, or where to go from here. */
import { PageHead } from "../components/page.js";
import { SignInPanel } from "../components/sign-in.js";
import { ProblemNote, Waiting } from "../components/feedback.js";
import { html } from "../html.js";
import { NAVIGATION } from "../navigation.js";
import { DOORS } from "../session/doors.js";
import { useStore } from "../store.js";

export function StartPage() {
  return html`<${PageHead} title="Inicio" about="Dos puertas, cada una con su usuario. Entre por la que necesite." />
    <div class="split">${Object.values(DOORS).map((door) => html`<${DoorPanel} key=${door.name} door=${door} />`)}</div>`;
}

function DoorPanel({ door }) {
  const session = useStore(door.session);
  if (session.status === "unknown") return html`<section class="panel"><header><h2>${door.title}</h2></header><${Waiting} /></section>`;
  if (session.status === "out") return html`<${SignInPanel} name=${door.name} />`;
  if (session.status === "trouble") {
    return html`<section class="panel"><header><h2>${door.title}</h2></header><${ProblemNote} problem=${session.problem} onRetry=${door.start} /></section>`;
  }
  const { name, company } = door.personOf(session);
  const groups = NAVIGATION.filter((group) => group.door === door.name && (!group.forAdministrators || session.user.isAdmin));
  return html`<section class="panel">
    <header><h2>${door.title}</h2></header>
    <div class="stack">
      <p>Entró como <strong>${name}</strong>${company ? ` en ${company}` : ""}.</p>
      ${groups.map((group) => html`<div class="stack tight" key=${group.title}>
        ${groups.length > 1 && html`<h3>${group.title}</h3>`}
        <ul class="actions">${group.entries.map(([path, text]) => html`<li><a class="button" href=${`#${path}`}>${text}</a></li>`)}</ul>
      </div>`)}
    </div>
  </section>`;
}

/** The first page: the sign-in, or today's work of whoever is in. */
import { ProblemNote } from "../components/problem-note.js";
import { Waiting } from "../components/waiting.js";
import { PageHead } from "../components/page.js";
import { SignInForm } from "../components/sign-in/sign-in-form.js";
import { SignInPage } from "../components/sign-in/guard.js";
import { html } from "../html.js";
import { DOORS, secondSignIn } from "../session/doors.js";
import { readOpened } from "../session/opened.js";
import { useStore } from "../store.js";
import { t } from "../texts.js";
import { DraftsLeft } from "./today/drafts-left.js";
import { GatewayToday } from "./today/gateway.js";
import { LargeActions } from "./today/large-actions.js";
import { Plannings } from "./today/plannings.js";

export function StartPage() {
  const sessions = { gateway: useStore(DOORS.gateway.session), returns: useStore(DOORS.returns.session) };
  const second = useStore(secondSignIn);
  const having = (status) => Object.keys(sessions).filter((name) => sessions[name].status === status);
  const out = having("out");
  if (out.length === Object.keys(sessions).length) return html`<${SignInPage} names=${out} />`;
  const people = having("in").map((name) => DOORS[name].personOf(sessions[name])).map(({ name, company }) => `${name}${company ? ` en ${company}` : ""}`);
  const { user } = sessions.gateway;
  const isInReturns = Boolean(sessions.returns.user);
  const rest = html`<${DraftsLeft} services=${having("in").map((name) => DOORS[name].service)} />
    <${Opened} services=${having("in").map((name) => DOORS[name].service)} />
    ${isInReturns && html`<${Plannings} key=${sessions.returns.user.codigo} person=${sessions.returns.user.codigo} isOnly=${!user} />`}
    ${!second?.isTrying && out.map((name) => html`<details class="panel" key=${name}><summary>${t`Entrar también en ${DOORS[name].purpose}`}</summary><${SignInForm} names=${[name]} /></details>`)}`;
  return html`<${PageHead} title=${t`Inicio`} about=${people.length > 0 && t`Entró como ${people.join(" y como ")}.`} />
    ${having("unknown").length > 0 && html`<${Waiting} low />`}
    ${having("trouble").map((name) => html`<${ProblemNote} key=${name} problem=${sessions[name].problem} onRetry=${DOORS[name].start} />`)}
    ${user
      ? html`<${GatewayToday} key=${user.webUser} isAdministrator=${user.isAdmin} isInReturns=${isInReturns}>${rest}<//>`
      : html`${isInReturns && html`<${LargeActions} isInReturns />`}${rest}`}`;
}

function Opened({ services }) {
  const opened = readOpened(services);
  if (!opened.length) return null;
  return html`<section class="panel"><header><h2>${t`Lo último que abrió`}</h2></header>
    <ul class="links">${opened.map(({ href, title, note }) => html`<li key=${href}><a href=${href}>${title}</a>${note && html`<span class="note">${note}</span>`}</li>`)}</ul>
  </section>`;
}

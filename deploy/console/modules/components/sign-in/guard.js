/** The page for those who are signed in, and the sign-in for others. */
import { Fragment, html } from "../../html.js";
import { DOORS } from "../../session/doors.js";
import { useStore } from "../../store.js";
import { t } from "../../texts.js";
import { PageHead } from "../page.js";
import { ProblemNote } from "../problem-note.js";
import { SignInForm } from "./sign-in-form.js";

/** The page where one signs in. */
export function SignInPage({ names }) {
  return html`<${PageHead} title=${t`Entrar`} about=${names.length > 1 ? t`Hay dos servicios, cada uno con sus usuarios.` : DOORS[names[0]].purpose} />
    <${SignInForm} key=${names.join()} names=${names} />`;
}

/** Shows the page to whoever is signed in to its service, anew to another person, and the sign-in to others. */
export function Guard({ name, children }) {
  const door = DOORS[name];
  const session = useStore(door.session);
  if (session.status === "unknown") return null;
  if (session.status === "trouble") return html`<${ProblemNote} problem=${session.problem} onRetry=${door.start} />`;
  if (session.status === "out") return html`<${SignInPage} names=${[name]} />`;
  return html`<${Fragment} key=${door.service.person()}>${children}<//>`;
}

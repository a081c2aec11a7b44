/** Who is signed in to a service. */
import { say } from "../components/toasts.js";
import { leave } from "../forms/unsaved.js";
import { html } from "../html.js";
import { place } from "../router.js";
import { routeFor } from "../routes.js";
import { useStore } from "../store.js";
import { t } from "../texts.js";

export function Person({ door }) {
  const session = useStore(door.session);
  if (session.status !== "in") return null;
  const { name, company } = door.personOf(session);
  const signOut = async () => {
    await door.signOut();
    say(t`Salió de ${door.title}.`);
  };
  const end = () => (routeFor(place.get().segments).door === door.name ? leave(signOut) : signOut());
  return html`<div class="person">
    <b>${name}</b><span>${company}</span>
    <button type="button" class="plain small" onClick=${end} aria-label=${t`Salir de ${door.title}`}>${t`Salir`}</button>
  </div>`;
}

/** Starts the console. */
import { dropOldDrafts } from "./forms/drafts.js";
import { Frame } from "./frame/frame.js";
import { html, render } from "./html.js";
import { followVersions } from "./new-version.js";
import { LOOKS, readLook, showLook } from "./preferences.js";
import { forgetPlaces, place } from "./router.js";
import { routeFor } from "./routes.js";
import { DOORS } from "./session/doors.js";

const DRAW_WITHIN_MS = 1000;

dropOldDrafts();
for (const name of Object.keys(LOOKS)) showLook(name, readLook(name));

// What one person looked for is nothing to the next.
for (const { service, session } of Object.values(DOORS)) {
  let person = "";
  session.subscribe(() => {
    if (person && service.person() !== person) forgetPlaces();
    person = service.person();
  });
}

routeFor(place.get().segments).load().catch(() => {}); // while the sessions are read; the page itself says what failed
// Who is signed in is mostly known at once; drawn then, nothing moves afterwards.
const known = Promise.all(Object.values(DOORS).map((door) => door.start()));
await Promise.race([known, new Promise((resolve) => setTimeout(resolve, DRAW_WITHIN_MS))]);
render(html`<${Frame} />`, document.getElementById("console"));
document.getElementById("failed")?.remove(); // what index.html says where this line is never reached
followVersions();

/** Starts the console. */
import { Frame } from "./frame.js";
import { html, render } from "./html.js";
import { readLook, showLook } from "./preferences.js";
import { DOORS } from "./session/doors.js";

const DRAW_WITHIN_MS = 1000;

showLook(readLook());

// Who is signed in is mostly known at once; drawn then, nothing moves afterwards.
const known = Promise.all(Object.values(DOORS).map((door) => door.start()));
await Promise.race([known, new Promise((resolve) => setTimeout(resolve, DRAW_WITHIN_MS))]);
render(html`<${Frame} />`, document.getElementById("console"));

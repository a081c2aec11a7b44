/** Whether another version of the console is served than the one that this tab runs. */
import { ROOT } from "./root.js";
import { place } from "./router.js";
import { createStore } from "./store.js";

const LOOKS_EVERY_MS = 5 * 60_000;
const SCRIPT = /<script type="module" src="([^"]+)"/;

/** The script that this page was loaded with. A build names it after its content; without a build it is always the same. */
const own = globalThis.document?.querySelector('script[type="module"]')?.getAttribute("src");
let lookedAt = Date.now();

export const isReplaced = createStore(false);

/** Compare the page that is served now with this one. Whoever is offline keeps what they have. */
export async function lookForNewVersion() {
  lookedAt = Date.now();
  try {
    const answer = await fetch(`${ROOT}consola/`, { cache: "no-cache" });
    const found = answer.ok && SCRIPT.exec(await answer.text())?.[1];
    if (found && found !== own) isReplaced.set(true);
  } catch {
    // no connection: the next look tells
  }
  return isReplaced.get();
}

function lookAgain() {
  if (!isReplaced.get() && !document.hidden && Date.now() - lookedAt > LOOKS_EVERY_MS) lookForNewVersion();
}

/** Look when a page is opened and when the tab comes to the front. */
export function followVersions() {
  place.subscribe(lookAgain);
  document.addEventListener("visibilitychange", lookAgain);
}

/** The frame around every page: bar, navigation, the page itself. */
import { LeaveDialog } from "../components/leave-dialog.js";
import { RenewalDialog } from "../components/sign-in/renewal-dialog.js";
import { SecondSignIn } from "../components/sign-in/second-sign-in.js";
import { say, Toasts } from "../components/toasts.js";
import { html, useEffect, useState } from "../html.js";
import { loadPart } from "../page-module.js";
import { place } from "../router.js";
import { DOORS } from "../session/doors.js";
import { useStore } from "../store.js";
import { t } from "../texts.js";
import { Navigation } from "./menu.js";
import { NewVersionButton } from "./new-version-button.js";
import { Page } from "./page.js";
import { Person } from "./person.js";

const ICON = /** @type {HTMLLinkElement | null} */ (document.querySelector('link[rel="icon"]'))?.href; // its name changes with its content
const loadPalette = () => import("../components/palette.js");

export function Frame() {
  const at = useStore(place);
  const [isOpen, setOpen] = useState(false);
  const [Palette, setPalette] = useState(null);
  const [isSearching, setSearching] = useState(false);
  const search = async () => {
    try {
      const module = await loadPart(loadPalette);
      setPalette(() => module.Palette);
      setSearching(true);
    } catch (problem) {
      say(problem.detail);
    }
  };
  useEffect(() => {
    setOpen(false);
    setSearching(false);
  }, [at]);
  useEffect(() => {
    const pressed = (event) => {
      if (event.key === "Control" || event.key === "Meta") loadPalette().catch(() => {}); // the letter may follow, and words after it
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      if (!document.querySelector("dialog[open]")) search();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  const skip = (event) => {
    event.preventDefault();
    /** @type {HTMLElement | null} */ (document.querySelector("main h1"))?.focus();
  };
  return html`<div class="frame" onKeyDown=${(event) => event.key === "Escape" && setOpen(false)}>
    <a class="skip" href="#contenido" onClick=${skip}>${t`Saltar al contenido`}</a>
    <header class="bar">
      <button type="button" class="menu-button small" aria-expanded=${String(isOpen)} aria-controls="menu" onClick=${() => setOpen(!isOpen)}>${t`Menú`}</button>
      <a class="brand" href="#/"><img src=${ICON} alt="" width="28" height="28" /><span>${t`Consola`}</span></a>
      <button type="button" class="small" aria-keyshortcuts="Control+K" onClick=${search}>${t`Ir a…`} <kbd>${t`Ctrl K`}</kbd></button>
      <${NewVersionButton} />
      <div class="who">${Object.values(DOORS).map((door) => html`<${Person} key=${door.name} door=${door} />`)}</div>
    </header>
    <div class=${`side ${isOpen ? "open" : ""}`} id="menu"><${Navigation} at=${at} /></div>
    <main class="page" id="contenido"><div class="inner"><${SecondSignIn} /><${Page} at=${at} /></div></main>
    ${isSearching && Palette && html`<${Palette} onClose=${() => setSearching(false)} />`}
    <${RenewalDialog} />
    <${LeaveDialog} />
    <${Toasts} />
  </div>`;
}

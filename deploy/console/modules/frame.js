/** The frame around every page: bar, navigation, the page itself. */
import { PageHead } from "./components/page.js";
import { LeaveDialog } from "./components/leave-dialog.js";
import { Guard, RenewalDialog, SecondSignIn } from "./components/sign-in.js";
import { ProblemNote, Toasts, Waiting, say } from "./components/feedback.js";
import { asProblem } from "./api/problem.js";
import { html, useEffect, useErrorBoundary, useState } from "./html.js";
import { navigationOf } from "./navigation.js";
import { LOOKS, keepLook, readLook } from "./preferences.js";
import { loadPart } from "./page-module.js";
import { routeFor } from "./routes.js";
import { place } from "./router.js";
import { DOORS } from "./session/doors.js";
import { useStore } from "./store.js";
import { t } from "./texts.js";
import { leave } from "./forms/unsaved.js";

const loadPalette = () => import("./components/palette.js");

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
      <a class="brand" href="#/"><img src="icon.svg" alt="" width="28" height="28" /><span>${t`Consola`}</span></a>
      <button type="button" class="small" aria-keyshortcuts="Control+K" onClick=${search}>${t`Ir a…`} <kbd>${t`Ctrl K`}</kbd></button>
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

function Person({ door }) {
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

function Navigation({ at }) {
  const groups = navigationOf(useStore(DOORS.gateway.session), useStore(DOORS.returns.session));
  return html`<nav aria-label=${t`Principal`}>
    ${groups.map((group) => html`<div key=${group.title}>
      <h2>${group.title}</h2>
      <ul>
        ${group.entries.map(([path, text]) => html`<li><a href=${`#${path}`} aria-current=${isAt(at, path, group) ? "page" : undefined}>${text}</a></li>`)}
      </ul>
    </div>`)}
    ${Object.keys(LOOKS).map((name) => html`<${Look} key=${name} name=${name} />`)}
  </nav>`;
}

function Look({ name }) {
  const { title, words } = LOOKS[name];
  const [look, setLook] = useState(() => readLook(name));
  const choose = (event) => {
    setLook(event.target.value);
    keepLook(name, event.target.value);
  };
  return html`<label class="look"><span>${title}</span>
    <select onChange=${choose}>${words.map((each) => html`<option value=${each} selected=${each === look}>${each}</option>`)}</select>
  </label>`;
}

/** Whether this is the entry of the page: the longest one that the page lies under. */
function isAt(at, path, group) {
  const here = at.path.replace(/\/$/, "") || "/";
  const under = (entry) => here === entry || (entry !== "/" && here.startsWith(`${entry}/`));
  const longest = group.entries.map(([entry]) => entry).filter(under).sort((one, other) => other.length - one.length)[0];
  return longest === path;
}

/** The page, or that it failed: then everything around it still works. */
function Caught({ children }) {
  const [error, tryAgain] = useErrorBoundary();
  if (!error) return children;
  return html`<${PageHead} title=${t`Esta página falló`} /><${ProblemNote} problem=${asProblem(error)} onRetry=${tryAgain} />`;
}

function Page({ at }) {
  const route = routeFor(at.segments);
  const [view, setView] = useState(null);
  const [problem, setProblem] = useState(null);
  const { load, name } = route;
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isWanted = true;
    const isAgain = problem !== null && tries > 0;
    setProblem(null);
    loadPart(load, { isAgain }).then(
      (module) => isWanted && setView({ component: module[name], load, name }),
      (error) => isWanted && setProblem(asProblem(error)),
    );
    return () => {
      isWanted = false;
    };
  }, [load, name, tries]);
  useEffect(() => {
    if (!problem) return undefined;
    const again = () => setTries(tries + 1);
    addEventListener("online", again);
    return () => removeEventListener("online", again);
  }, [problem]);
  if (problem) return html`<${PageHead} title=${t`Esta página no se pudo cargar`} /><${ProblemNote} problem=${problem} onRetry=${() => setTries(tries + 1)} />`;
  if (view?.load !== load || view.name !== name) return html`<${Waiting} />`;
  const page = html`<${view.component} key=${at.segments.join("/")} params=${route.params} query=${at.query} />`;
  return html`<${Caught} key=${at.path}>${route.door ? html`<${Guard} name=${route.door}>${page}<//>` : page}<//>`;
}

/** What the installation knows as a tree to tick: what of it may be read, and what written. */
import { CheckField } from "../../components/fields.js";
import { html, useState } from "../../html.js";
import { t } from "../../texts.js";
import { titleOfArea } from "../../titles.js";
import { EVERYTHING, branchOf, giving, givingWrite, isGiven, namesake, taking } from "./menu-routes.js";

const KINDS = { query: t`consulta`, format: t`formato de impresión` };

/**
 * @param {object} props
 * @param {{area: string, screens: import("./menu-routes.js").Screen[]}[]} props.tree
 * @param {string[]} props.patterns what somebody has
 * @param {(patterns: string[]) => void} props.onChange
 */
export function RouteTree({ tree, patterns, onChange }) {
  const hasAll = patterns.includes(EVERYTHING);
  const screens = tree.flatMap((each) => each.screens);
  const [opened] = useState(() => new Set(tree.filter((each) => !hasAll && each.screens.some((screen) => isRead(patterns, screen) || isWritten(patterns, screen))).map(({ area }) => area)));
  const turn = (isOn, pattern) => onChange(isOn ? giving(patterns, [pattern]) : patterns.filter((each) => each !== pattern));
  return html`<fieldset class="stack tight">
    <legend>${t`Qué puede usar`}</legend>
    <${CheckField} label=${t`Todo, también administrar`} checked=${hasAll} onInput=${(isOn) => turn(isOn, EVERYTHING)} />
    <div class="tree">
      ${tree.map(({ area, screens: its }) => {
        const branch = branchOf(`/${area}`);
        const title = titleOfArea(area);
        return html`<details key=${area} open=${opened.has(area)}>
          <summary>${title} <span class="muted">${wordsOf(patterns, its)}</span></summary>
          <${CheckField} label=${t`Todo en ${title}, también lo que se agregue`} checked=${isGiven(patterns, branch)} disabled=${hasAll} onInput=${(isOn) => turn(isOn, branch)} />
          <ul>${its.map((screen) => html`<${ScreenRow} key=${screen.path} screen=${screen} screens=${screens} patterns=${patterns} onChange=${onChange} isFixed=${hasAll} />`)}</ul>
        </details>`;
      })}
    </div>
  </fieldset>`;
}

const isRead = (patterns, { read }) => read !== null && isGiven(patterns, read);
const isWritten = (patterns, { writes }) => writes.length > 0 && writes.every((route) => isGiven(patterns, route));

function wordsOf(patterns, screens) {
  const read = screens.filter((screen) => isRead(patterns, screen)).length;
  const written = screens.filter((screen) => isWritten(patterns, screen)).length;
  return [read > 0 && t`leer ${read}`, written > 0 && t`escribir ${written}`].filter(Boolean).join(", ") || t`nada`;
}

function ScreenRow({ screen, screens, patterns, onChange, isFixed }) {
  const first = namesake(screen);
  const others = screen.known.filter((each) => each !== first);
  const verb = screen.known.some(({ write }) => write !== null && write === screen.read) ? t`Leer y escribir` : first.kind === "resource" ? t`Leer` : t`Usar`;
  const named = (word) => html`${word}<span class="unseen"> ${first.title}</span>`;
  const take = (routes) => onChange(taking(patterns, routes, screens));
  return html`<li>
    <span class="about">${first.title}<span class="note"><span class="mono">${screen.path}</span>${KINDS[first.kind] && ` · ${KINDS[first.kind]}`}${others.length > 0 && t` · también ${others.map(nameOf).join(", ")}`}</span></span>
    ${screen.read !== null && html`<${CheckField} label=${named(verb)} checked=${isRead(patterns, screen)} disabled=${isFixed}
      onInput=${(isOn) => (isOn ? onChange(giving(patterns, [screen.read])) : take([screen.read, ...screen.writes]))} />`}
    ${screen.writes.length > 0 && html`<${CheckField} label=${named(t`Escribir`)} checked=${isWritten(patterns, screen)} disabled=${isFixed}
      onInput=${(isOn) => (isOn ? onChange(givingWrite(patterns, screen, screens)) : take(screen.writes))} />`}
  </li>`;
}

const nameOf = ({ kind, title }) => (KINDS[kind] ? `${KINDS[kind]} ${title}` : title);

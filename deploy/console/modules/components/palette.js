/** Where to go, by a few letters: pages, kinds of records, a document by its number, a partner or an item. */
import { Dialog } from "./dialog.js";
import { hrefTo } from "../addresses.js";
import { listRecords, readOffer } from "../api/records.js";
import { filterOf, searchedOf } from "../finding/conditions.js";
import { plain } from "../finding/spellings.js";
import { plural } from "../formats.js";
import { html, useEffect, useRef, useState } from "../html.js";
import { navigationOf } from "../navigation.js";
import { DOORS } from "../session/doors.js";
import { useStore } from "../store.js";
import { t } from "../texts.js";

const PEOPLE_AND_THINGS = ["BusinessPartners", "Items"]; // two reads a search at most
const SILENCE_MS = 300;
const LEAST = 2;
const EACH = 6;

/** Pages and kinds of records whose names hold the words: what needs no question. */
function placesOf(words, items, groups) {
  const holds = (text) => plain(text).includes(plain(words));
  const pages = groups.flatMap((group) => group.entries.filter(([, text]) => holds(text)).map(([path, text]) => ({ href: `#${path}`, text, note: group.title })));
  const readable = items.filter((each) => each.methods.includes("GET"));
  const kinds = readable.filter((each) => holds(each.title ?? each.name)).map((each) => ({ href: hrefTo(["erp", each.name]), text: each.title ?? each.name, note: t`Registros` }));
  const documents = /^\d+$/.test(words) ? readable.filter((each) => each.columns[0]?.name === "DocNum") : [];
  const numbered = documents.map((each) => ({ href: hrefTo(["erp", each.name], { filtro: JSON.stringify([{ name: "DocNum", operator: "eq", value: words }]) }), text: t`${each.title ?? each.name} con número ${words}`, note: t`Documentos` }));
  const seen = new Set(pages.map(({ href }) => href));
  return [...pages, ...kinds.filter(({ href }) => !seen.has(href)).slice(0, EACH), ...numbered];
}

/** Partners and items that a search in their lists finds, as far as this person may read them. */
async function recordsOf(words, items, signal) {
  const asked = items.filter((each) => PEOPLE_AND_THINGS.includes(each.name) && each.methods.includes("GET"));
  const found = await Promise.all(asked.map(async (resource) => {
    const [searched, key] = [searchedOf(resource), resource.key[0].name];
    const title = searched.find(({ search }) => search === "name")?.name ?? key;
    const { filter } = filterOf([{ text: words }], resource.columns, { searched });
    if (!filter) return [];
    const { value } = await listRecords(resource.name, { select: [...new Set([key, title])].join(","), filter, orderby: key, top: EACH }, { signal });
    return value.map((row) => ({ href: hrefTo(["erp", resource.name, row[key]]), text: row[title] || row[key], note: `${resource.singular ?? resource.name} ${row[key]}` }));
  }));
  return found.flat();
}

/** @param {{onClose: () => void}} props */
export function Palette({ onClose }) {
  const session = useStore(DOORS.gateway.session);
  const groups = navigationOf(session, useStore(DOORS.returns.session));
  const isIn = session.status === "in";
  const [words, setWords] = useState("");
  const [items, setItems] = useState([]);
  const [records, setRecords] = useState({ of: "", found: [], problem: null });
  const box = useRef(null);
  const asked = words.trim();
  useEffect(() => {
    if (isIn) readOffer().then((offer) => setItems(offer.items), () => {}); // the pages are there all the same
  }, [isIn]);
  useEffect(() => {
    if (asked.length < LEAST || !items.length) return undefined;
    const asking = new AbortController();
    const timer = setTimeout(() => {
      recordsOf(asked, items, asking.signal).then(
        (found) => setRecords({ of: asked, found, problem: null }),
        (problem) => !asking.signal.aborted && setRecords({ of: asked, found: [], problem }),
      );
    }, SILENCE_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [asked, items]);
  const isAnswered = records.of === asked;
  const isWaiting = asked.length >= LEAST && items.length > 0 && !isAnswered;
  const found = asked ? [...placesOf(asked, items, groups), ...(isAnswered ? records.found : [])] : placesOf("", [], groups);
  const said = isWaiting ? t`Buscando…` : records.problem && isAnswered ? t`El ERP no respondió: se muestra lo que hay sin él.` : found.length === 0 ? t`Nada se llama así. Pruebe con menos letras.` : plural(found.length, t`resultado`, t`resultados`);
  const move = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const stops = [...box.current.querySelectorAll("input, a")];
    const at = stops.indexOf(document.activeElement);
    if (event.key === "Enter" && at === 0) {
      event.preventDefault();
      stops[1]?.click();
    } else if (step) {
      event.preventDefault();
      stops[Math.min(Math.max(at + step, 0), stops.length - 1)]?.focus();
    }
  };
  return html`<${Dialog} title=${t`Ir a…`} onClose=${onClose}>
    <div ref=${box} class="stack tight palette" onKeyDown=${move}>
      <input type="text" role="searchbox" autofocus aria-label=${t`Página, registro, número, socio o artículo`} placeholder=${t`Página, registro, número, socio o artículo`}
        autocomplete="off" spellcheck=${false} value=${words} onInput=${(event) => setWords(event.target.value)} />
      <p class="small muted" role="status">${said}</p>
      <ul>${found.map((each) => html`<li key=${each.href}><a href=${each.href} onClick=${onClose}><span>${each.text}</span><span class="small muted">${each.note}</span></a></li>`)}</ul>
    </div>
  <//>`;
}

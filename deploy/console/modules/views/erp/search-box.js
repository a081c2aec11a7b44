/** The one box in which a list is searched: words, or conditions that it offers while somebody types; each that holds is a chip. */
import { inWords, isEither, withCondition } from "../../finding/conditions.js";
import { suggestionsOf } from "../../finding/suggestions.js";
import { Options, useOptions } from "../../components/options.js";
import { today } from "../../formats.js";
import { html, useId, useMemo, useRef, useState } from "../../html.js";
import { t } from "../../texts.js";

const MORE = { label: t`Más campos…`, typed: "" };

/**
 * @param {object} props
 * @param {import("../../finding/conditions.js").Column[]} props.columns
 * @param {import("../../finding/conditions.js").Column[]} props.searched what words are looked for in
 * @param {import("../../finding/conditions.js").Condition[]} props.conditions those that hold
 * @param {(conditions: import("../../finding/conditions.js").Condition[]) => void} props.onApply
 * @param {(() => void) | null} props.onMore reads which other fields there are; null where these are all
 */
export function SearchBox({ columns, searched, conditions, onApply, onMore }) {
  const id = useId();
  const box = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [text, setText] = useState("");
  const { options: suggested, fault } = useMemo(() => suggestionsOf(text, columns, { searched, today: today() }), [text, columns, searched]);
  const options = onMore && !text.trim() ? [...suggested, MORE] : suggested;
  const list = useOptions(id, options.length);
  const { at, isShown } = list;
  const type = (words) => {
    setText(words);
    list.open();
  };
  /** @param {import("../../finding/suggestions.js").Suggestion} suggestion */
  const take = ({ conditions: added, typed, label }) => {
    box.current.focus();
    if (label === MORE.label) onMore();
    if (typed !== undefined) return type(typed);
    setText("");
    list.close();
    return onApply(added.reduce(withCondition, conditions));
  };
  const remove = (index) => {
    box.current.focus();
    onApply(conditions.filter((_, each) => each !== index));
  };
  const press = (event) => {
    if (list.press(event)) return;
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      if (options[at] && (text.trim() || isShown)) take(options[at]);
    } else if (event.key === "Backspace" && !text && conditions.length) {
      remove(conditions.length - 1);
    }
  };
  const open = () => {
    box.current.focus();
    if (isShown && !text) list.close();
    else type("");
  };
  const label = searched.length ? t`Buscar por ${searched.map(({ title }) => title).join(", ")}` : t`Agregar una condición`;
  return html`<div class="stack tight search" role="search" aria-label=${t`Buscar en la lista`}>
    <div class="search-box">
      <input ref=${box} type="text" ...${list.attributes} aria-label=${label} placeholder=${label} aria-describedby=${`${id}-told`} aria-invalid=${fault ? "true" : undefined} spellcheck=${false}
        value=${text} onInput=${(event) => type(event.target.value)} onKeyDown=${press} onBlur=${list.close} />
      <button type="button" onMouseDown=${(event) => event.preventDefault()} onClick=${open}>${t`Condiciones`}</button>
      <${Options} list=${list} label=${t`Lo que se puede buscar`} words=${options.map(({ label }) => label)} onTake=${(index) => take(options[index])} />
    </div>
    <p class="small fault" id=${`${id}-told`} role="status">${fault}</p>
    ${conditions.length > 0 && html`<${Chips} columns=${columns} conditions=${conditions} onRemove=${remove} onClear=${() => {
      box.current.focus();
      onApply([]);
    }} />`}
  </div>`;
}

/** Those that hold, each with what takes it out: by pressing it, or Supr where it has the focus. */
function Chips({ columns, conditions, onRemove, onClear }) {
  const erase = (index) => (event) => {
    if (event.key === "Delete" || event.key === "Backspace") onRemove(index);
  };
  return html`<div class="chips">
    <ul aria-label=${t`Condiciones que se cumplen`}>${conditions.map((each, index) => {
      const words = inWords(each, columns);
      return html`<li key=${index}>${index > 0 && html`<span class="small muted">${isEither(conditions[index - 1], each) ? "o" : "y"} </span>`}<span class="chip"
        >${words}<button type="button" class="plain" aria-label=${t`Quitar ${words}`} onClick=${() => onRemove(index)} onKeyDown=${erase(index)}></button></span></li>`;
    })}</ul>
    <button type="button" class="plain small" onClick=${onClear}>${t`Quitar filtro`}</button>
  </div>`;
}

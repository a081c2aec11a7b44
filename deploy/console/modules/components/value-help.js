/** A field that takes any text and offers values beneath it. */
import { isEnter } from "../forms/enter.js";
import { noteDrawn } from "../forms/filled-in.js";
import { plain } from "../finding/spellings.js";
import { html, useId, useRef } from "../html.js";
import { t } from "../texts.js";
import { Field } from "./fields.js";
import { Options, useOptions } from "./options.js";

const MOST = 50; // more are found by typing more

/** The values whose code or words hold what was typed, whatever its accents and capitals. */
export const holding = (options, text) => options.filter(({ value, label }) => plain(`${value} ${label}`).includes(plain(text.trim()))).slice(0, MOST);

/**
 * @param {object} props
 * @param {string} props.value
 * @param {(text: string) => void} props.onInput
 * @param {{value: string, label: string}[]} props.options those that fit what was typed
 * @param {() => Promise<void>} [props.onBrowse] reads what there is to choose from, without typing: by the arrow key, or a button for the mouse
 * @param {object} [props.inputProps]
 * @param {string} props.label
 */
export function ValueHelp({ value, onInput, options, onBrowse, inputProps = {}, ...field }) {
  const id = useId();
  const list = useOptions(id, options.length, { first: -1 }); // a scanner's Enter takes what it has read
  const take = (index) => {
    list.close();
    onInput(options[index].value);
  };
  const box = useRef(/** @type {HTMLInputElement | null} */ (null));
  const browse = async () => {
    box.current.focus();
    if (list.isShown) return list.close();
    await onBrowse();
    return list.open();
  };
  const press = (event) => {
    if (onBrowse && event.key === "ArrowDown" && !list.isShown) {
      event.preventDefault();
      return void browse();
    }
    if (list.press(event) || !isEnter(event) || !list.isShown) return;
    if (list.at < 0) return list.close();
    event.preventDefault();
    take(list.at);
  };
  const type = (event) => {
    list.open();
    onInput(event.target.value);
  };
  return html`<${Field} ...${field}>${(attributes) => html`<div class="value-help">
    <input ref=${(input) => { box.current = input; noteDrawn(input); }} ...${attributes} ...${inputProps} ...${list.attributes} type="text" value=${value ?? ""} onInput=${type} onKeyDown=${press} onBlur=${list.close} />
    ${onBrowse && html`<button type="button" class="plain browse" tabindex="-1" aria-hidden="true" onMouseDown=${(event) => event.preventDefault()} onClick=${browse}></button>`}
    <${Options} list=${list} label=${t`Lo que se puede elegir`} words=${options.map(({ value: code, label }) => html`<span class="mono">${code}</span>${label && ` · ${label}`}`)} onTake=${take} />
  </div>`}<//>`;
}

/** Which columns a list shows, in which order. */
import { CheckField, TextField } from "../../../components/fields.js";
import { html, useState } from "../../../html.js";
import { t } from "../../../texts.js";

export function ColumnChooser({ columns, shown, onChoose, onForget }) {
  const [words, setWords] = useState("");
  const found = columns.filter((column) => shown.includes(column.name) || `${column.title} ${column.name}`.toLowerCase().includes(words.toLowerCase()));
  const toggle = (name) => (isOn) => onChoose(isOn ? [...shown, name] : shown.filter((each) => each !== name));
  const titleFor = (name) => columns.find((column) => column.name === name)?.title ?? name;
  const forward = (at) => onChoose([...shown.slice(0, at - 1), shown[at], shown[at - 1], ...shown.slice(at + 1)]);
  return html`<section class="panel" aria-label=${t`Columnas`}><div class="stack">
    <fieldset class="stack"><legend class="unseen">${t`Columnas que se muestran`}</legend>
      <${TextField} label=${t`Buscar una columna`} type="search" value=${words} onInput=${setWords} />
      <div class="fields choices">${found.map((column) => html`<${CheckField} key=${column.name} label=${column.title} checked=${shown.includes(column.name)}
        disabled=${shown.length === 1 && shown.includes(column.name)} onInput=${toggle(column.name)} />`)}</div>
    </fieldset>
    <h3>${t`En este orden`}</h3>
    <ol class="actions">${shown.map((name, at) => html`<li key=${name}><button type="button" class="small" disabled=${at === 0} onClick=${() => forward(at)}>
      ${at > 0 && html`<span aria-hidden="true">←</span>`}<span>${titleFor(name)} <span class="unseen">${t`una columna antes`}</span></span></button></li>`)}</ol>
    <div class="actions"><button type="button" class="plain small" onClick=${onForget}>${t`Como al principio`}</button></div>
  </div></section>`;
}

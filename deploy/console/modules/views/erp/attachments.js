/** The files of a record: read once the part is opened, kept one by one, added by who may change the record. */
import { save } from "../../components/export-buttons.js";
import { ProblemNote, say } from "../../components/feedback.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { asProblem } from "../../api/problem.js";
import { addAttachments, listAttachments, newIdempotencyKey, readAttachment } from "../../api/records.js";
import { day } from "../../formats.js";
import { html, useRef, useState } from "../../html.js";
import { t } from "../../texts.js";

export function Attachments({ resource, recordKey }) {
  const [isOpen, setOpen] = useState(false);
  return html`<section class="panel"><details onToggle=${(event) => setOpen(event.currentTarget.open)}><summary>${t`Archivos`}</summary>
    ${isOpen && html`<${Files} resource=${resource} recordKey=${recordKey} />`}
  </details></section>`;
}

function Files({ resource, recordKey }) {
  const loaded = useLoaded(() => listAttachments(resource.name, recordKey), [resource.name, recordKey]);
  const [state, setState] = useState({ isBusy: false, problem: null });
  const field = useRef(null);
  const key = useRef(null); // the same while the same files are tried again
  const run = async (work) => {
    setState({ isBusy: true, problem: null });
    try {
      await work();
      setState({ isBusy: false, problem: null });
    } catch (error) {
      setState({ isBusy: false, problem: asProblem(error) });
    }
  };
  const open = (item) => run(async () => save(await readAttachment(resource.name, recordKey, item.number)));
  const add = (event) => {
    event.preventDefault();
    key.current ??= newIdempotencyKey();
    run(async () => {
      await addAttachments(resource.name, recordKey, [...field.current.files], key.current);
      key.current = null;
      field.current.value = "";
      say(t`Archivos agregados.`);
      await loaded.load();
    });
  };
  return html`<${ProblemNote} problem=${state.problem} />
    <${Loaded} from=${loaded} low=${true}>
      ${({ items }) => items.length === 0
        ? html`<p class="muted">${t`No tiene archivos.${resource.methods.includes("PATCH") && t` Elija los primeros aquí abajo.`}`}</p>`
        : html`<ul aria-label=${t`Archivos del registro`}>${items.map((item) => html`<li key=${item.number}>
            <button type="button" class="plain" disabled=${state.isBusy} onClick=${() => open(item)}>${item.name}</button>
            ${item.addedOn && html` <span class="small muted">${day(item.addedOn)}</span>`}
          </li>`)}</ul>`}
    <//>
    ${resource.methods.includes("PATCH") && html`<form class="actions" onSubmit=${add}>
      <label>${t`Agregar archivos`} <input type="file" multiple required ref=${field} onChange=${() => (key.current = null)} /></label>
      <button type="submit" disabled=${state.isBusy}>${state.isBusy && html`<span class="busy"></span>`}${t`Agregar`}</button>
      <span class="small muted">${t`Lo que se agrega no se puede quitar desde aquí.`}</span>
    </form>`}`;
}

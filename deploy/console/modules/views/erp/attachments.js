/** The files of a record: read once the part is opened, kept one by one, added by who may change the record. */
import { save } from "../../components/export-buttons.js";
import { ProblemNote } from "../../components/problem-note.js";
import { say } from "../../components/toasts.js";
import { Form } from "../../components/form.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { asProblem } from "../../api/problem.js";
import { addAttachments, listAttachments, newIdempotencyKey, readAttachment } from "../../api/records.js";
import { day } from "../../formats.js";
import { html, useRef, useState } from "../../html.js";
import { t } from "../../texts.js";

export function Attachments({ resource, recordKey, title }) {
  const [isOpen, setOpen] = useState(false);
  return html`<section class="panel"><details onToggle=${(event) => setOpen(event.currentTarget.open)}><summary>${t`Archivos`}</summary>
    ${isOpen && html`<${Files} resource=${resource} recordKey=${recordKey} title=${title} />`}
  </details></section>`;
}

function Files({ resource, recordKey, title }) {
  const loaded = useLoaded(() => listAttachments(resource.name, recordKey), [resource.name, recordKey]);
  const [state, setState] = useState({ isBusy: false, problem: null });
  const [chosen, setChosen] = useState(0);
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
  const choose = () => {
    key.current = null;
    setChosen(field.current.files.length);
  };
  const clear = () => {
    field.current.value = "";
    choose();
  };
  const add = () => {
    key.current ??= newIdempotencyKey();
    run(async () => {
      await addAttachments(resource.name, recordKey, [...field.current.files], key.current);
      clear();
      say(t`${title}: archivos agregados.`);
      await loaded.load();
    });
  };
  return html`<${ProblemNote} problem=${state.problem} />
    <${Loaded} from=${loaded} low what=${t`Leyendo los archivos…`}>
      ${({ items }) => items.length === 0
        ? html`<p class="muted">${t`No tiene archivos.${resource.methods.includes("PATCH") && t` Elija los primeros aquí abajo.`}`}</p>`
        : html`<ul aria-label=${t`Archivos del registro`}>${items.map((item) => html`<li key=${item.number}>
            <button type="button" class="plain" disabled=${state.isBusy} onClick=${() => open(item)}>${item.name}</button>
            ${item.addedOn && html` <span class="small muted">${day(item.addedOn)}</span>`}
          </li>`)}</ul>`}
    <//>
    ${resource.methods.includes("PATCH") && html`<${Form} class="actions" onSubmit=${add}>
      <label>${t`Agregar archivos`} <input type="file" multiple required ref=${field} onChange=${choose} /></label>
      <button type="submit" disabled=${state.isBusy || chosen === 0}>${state.isBusy && html`<span class="busy"></span>`}${t`Agregar`}</button>
      <button type="button" disabled=${state.isBusy || chosen === 0} onClick=${clear}>${t`Cancelar`}</button>
      <span class="small muted">${t`Lo que se agrega no se puede quitar desde aquí.`}</span>
    <//>`}`;
}

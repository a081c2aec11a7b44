/** Chosen documents of a list, joined into one PDF. */
import { Dialog } from "../../components/dialog.js";
import { Note } from "../../components/note.js";
import { ProblemNote } from "../../components/problem-note.js";
import { SelectField } from "../../components/fields.js";
import { Form } from "../../components/form.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { Making, useMaking } from "../../components/making.js";
import { Paper } from "../../components/paper.js";
import { printDocuments } from "../../api/gateway.js";
import { plural } from "../../formats.js";
import { html, useState } from "../../html.js";
import { t } from "../../texts.js";
import { readFormats } from "./print-dialog.js";

/**
 * @param {object} props
 * @param {string} props.title of the list
 * @param {string} props.screen whose formats there are
 * @param {{docEntry: number, label: string}[]} props.documents those that were chosen, in the list's order
 * @param {() => void} props.onClose
 */
export function PrintSeveralDialog({ title, screen, documents, onClose }) {
  const formats = useLoaded(async () => readFormats(screen), [screen]);
  return html`<${Dialog} large title=${t`Imprimir: ${title}`} onClose=${onClose}>
    <${Loaded} from=${formats} what=${t`Leyendo los formatos…`}>${(found) => found.problem || !found.items.length
      ? html`<${ProblemNote} problem=${found.problem} />${!found.problem && html`<${Note} kind="warn">${t`No hay formatos de impresión para estos documentos. Los registra quien administra la pasarela.`}<//>`}`
      : html`<${Choice} title=${title} screen=${screen} documents=${documents} formats=${found.items} />`}<//>
  <//>`;
}

function Choice({ title, screen, documents, formats }) {
  const [code, setCode] = useState(formats[0].code);
  const making = useMaking();
  const wanted = documents.map((each) => each.docEntry);
  const submit = () => {
    making.make((how) => printDocuments(screen, code, wanted, how));
  };
  return html`<${Form} submitsOnEnter class="stack" onSubmit=${submit}>
    <${SelectField} label=${t`Formato`} value=${code} onInput=${setCode} options=${formats.map((each) => ({ value: each.code, label: each.title }))} />
    <div class="stack tight"><h3>${t`Documentos, en este orden`}</h3>
      <ol class="numbered" tabindex="0" aria-label=${t`Documentos, en este orden`}>${documents.map(({ docEntry, label }) => html`<li key=${docEntry}>${label}</li>`)}</ol></div>
    <div class="actions"><button type="submit" class="main" disabled=${making.isBusy}>${t`Un PDF con ${plural(wanted.length, t`documento`, t`documentos`)}`}</button></div>
    <${ProblemNote} problem=${making.problem} />
    <${Making} making=${making} />
    ${making.file && html`<${Paper} file=${making.file} title=${title} />`}
  <//>`;
}

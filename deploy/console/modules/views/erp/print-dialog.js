/** A document as paper: the default format of its screen at once, another by choice. */
import { Dialog } from "../../components/dialog.js";
import { ProblemNote } from "../../components/problem-note.js";
import { SelectField } from "../../components/fields.js";
import { Paper } from "../../components/paper.js";
import { asProblem } from "../../api/problem.js";
import { listFormats, printDocument } from "../../api/gateway.js";
import { html, useEffect, useState } from "../../html.js";
import { t } from "../../texts.js";

/** What can be printed of a resource's records; a refusal is told where somebody asks for the paper. */
export const readFormats = (screen) => (screen ? listFormats(screen).then((items) => ({ items }), (error) => ({ items: [], problem: asProblem(error) })) : { items: [] });

export function PrintDialog({ title, screen, docEntry, formats, onClose }) {
  const [code, setCode] = useState(formats.items[0]?.code ?? null);
  const [state, setState] = useState({ file: null, problem: formats.problem, isBusy: code !== null });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (code === null) return undefined;
    let isWanted = true;
    setState({ file: null, problem: null, isBusy: true });
    printDocument(screen, code, docEntry).then(
      (file) => isWanted && setState({ file, problem: null, isBusy: false }),
      (error) => isWanted && setState({ file: null, problem: asProblem(error), isBusy: false }),
    );
    return () => {
      isWanted = false;
    };
  }, [code, tries]);
  const { file, problem, isBusy } = state;
  return html`<${Dialog} large title=${t`Imprimir: ${title}`} onClose=${onClose}>
    ${formats.items.length > 1 && html`<${SelectField} label=${t`Formato`} value=${code} onInput=${setCode} options=${formats.items.map((each) => ({ value: each.code, label: each.title }))} />`}
    ${isBusy && html`<p role="status" class="busy"> ${t`Haciendo el PDF…`}</p>`}
    <${ProblemNote} problem=${problem} onRetry=${code !== null && (() => setTries(tries + 1))} />
    ${file && html`<${Paper} file=${file} title=${title} name=${`${title}.pdf`} />`}
  <//>`;
}

/** Another person changed the record meanwhile: what either side changed, with one choice for each. */
import { Dialog } from "../../../../components/dialog.js";
import { Note } from "../../../../components/note.js";
import { ProblemNote } from "../../../../components/problem-note.js";
import { Table } from "../../../../components/table/table.js";
import { exactMoment, plural } from "../../../../formats.js";
import { html, useMemo, useState } from "../../../../html.js";
import { t } from "../../../../texts.js";
import { actorOf } from "../../../admin/audit-words.js";
import { differencesOf } from "./differences.js";
import { choiceKey, mergedChange, sideOf, undecided } from "./merged-change.js";

/**
 * @param {object} props
 * @param {any} props.resource
 * @param {import("../../../../api/descriptions.js").Description} props.described
 * @param {any} props.before the record that the person opened
 * @param {{record: any, etag: string | null, lastDone: any}} props.conflict the record as it is now
 * @param {{changes: any, parts: any[]}} props.collected what the person changed
 * @param {boolean} props.isBusy
 * @param {any} props.problem
 * @param {(change: {changes: any, replaces: boolean, resizes: boolean}) => void} props.onMerge
 * @param {() => void} props.onTakeTheirs
 * @param {() => void} props.onClose
 */
export function ConflictDialog({ resource, described, before, conflict: { record: now, lastDone }, collected, isBusy, problem, onMerge, onTakeTheirs, onClose }) {
  const [choices, setChoices] = useState({});
  const { changes: mine, parts } = collected;
  const differences = useMemo(() => differencesOf({ described, before, now, mine, parts, keyNames: resource.key.map(({ name }) => name) }), [now]);
  const open = undecided(differences, choices);
  const [isAsked, setAsked] = useState(false);
  const save = () => (open.length ? setAsked(true) : onMerge(mergedChange(differences, choices, now, parts)));
  return html`<${Dialog} large title=${t`Alguien lo cambió: vea ambos`} onClose=${onClose} foot=${html`
      <button type="button" onClick=${onTakeTheirs}>${t`Dejar lo del ERP`}</button>
      <button type="button" class="main" disabled=${isBusy} onClick=${save}>${isBusy && html`<span class="busy"></span>`}${t`Guardar lo elegido`}</button>`}>
    <p>${t`Mientras usted escribía, otra persona guardó un cambio. No se ha sobrescrito nada. Elija qué queda en cada dato.`}${lastDone &&
      t` El último desde aquí: ${actorOf(lastDone.webUser)}, ${exactMoment(lastDone.at)}. Si no es ese, se cambió en el ERP mismo.`}</p>
    ${isAsked && open.length > 0 && html`<${Note} kind="warn" live>${t`Falta elegir en ${plural(open.length, t`dato`, t`datos`)} que cambiaron ambos: ${open.map(({ title }) => title).join(", ")}.`}<//>`}
    <${Table} caption=${t`Diferencias`} kind="differences" columns=${columnsOf(choices, setChoices)} rows=${differences} rowKey=${(row) => row.path} />
    <${ProblemNote} problem=${problem} />
  <//>`;
}

function columnsOf(choices, setChoices) {
  const choose = (row, side) => () => setChoices((now) => ({ ...now, [choiceKey(row)]: side }));
  const side = (key, title) => ({ key, title, cell: (row) => html`<${Choice} row=${row} side=${key} title=${title} chosen=${sideOf(row, choices)} onChoose=${choose(row, key)} />` });
  return [
    { key: "title", title: t`Dato`, head: true, cell: (row) => html`${row.title}${row.side === null && html`<span class="note">${t`Lo cambiaron ambos`}</span>`}` },
    { key: "before", title: t`Cuando lo abrió`, cell: (row) => row.before || html`<span class="muted">${t`vacío`}</span>` },
    side("theirs", t`Ahora en el ERP`),
    side("mine", t`Lo suyo`),
  ];
}

/** The value of one side, with the radio button that takes it where there is a choice. */
function Choice({ row, side, title, chosen, onChoose }) {
  const text = row[side];
  const value = text === "" ? html`<span class="muted">${t`vacío`}</span>` : text !== row.before ? html`<mark>${text}</mark>` : text;
  if (row.effect === null) return side === "mine" ? html`<span class="muted">${t`Queda lo del ERP`}</span>` : value;
  return html`<label class="choice-of-side"><input type="radio" name=${`side ${row.path}`} aria-label=${`${row.title}. ${title}: ${text || t`vacío`}`} checked=${chosen === side} onChange=${onChoose} /><span>${value}</span></label>`;
}

/** Somebody changed the record meanwhile: both versions side by side, and the choice between them. */
import { Dialog, ProblemNote } from "../../../components/feedback.js";
import { Table } from "../../../components/table.js";
import { html } from "../../../html.js";
import { titleOf } from "../../../titles.js";
import { isScalar, write } from "../values.js";

const QUIET = new Set(["UpdateDate", "UpdateTime", "DocTotalSys", "DocTotal", "VatSum", "VatSumSys", "DataVersion"]);

/** `[{name, title, before, now, mine}]` of everything that either side changed. */
function differences(resource, before, now, mine, removed) {
  const rows = [];
  const add = (name, title, values, column) => rows.push({ name, title, ...Object.fromEntries(Object.entries(values).map(([side, value]) => [side, write(value, column, name)])) });
  const names = new Set([...Object.keys(mine), ...Object.keys(now)].filter((name) => isScalar(now[name]) && !name.includes("odata")));
  for (const name of names) {
    const isMine = name in mine;
    if (!isMine && (now[name] === before[name] || QUIET.has(name))) continue;
    const column = resource.columns.find((each) => each.name === name);
    add(name, titleOf(name, resource.columns), { before: before[name], now: now[name], mine: isMine ? mine[name] : now[name] }, column);
  }
  for (const [collection, changed] of Object.entries(mine).filter(([, value]) => Array.isArray(value))) {
    const line = (record, number) => record[collection]?.find((each) => each.LineNum === number) ?? {};
    const item = (record, number) => line(record, number).ItemCode;
    for (const number of removed) add(`${number}.`, `Línea ${number + 1}`, { before: item(before, number), now: item(now, number), mine: "" });
    const isKnown = (each) => each.LineNum !== undefined;
    changed.filter((each) => !isKnown(each)).forEach((each, at) => add(`new.${at}`, "Línea nueva", { before: "", now: "", mine: `${each.ItemCode} × ${each.Quantity}` }));
    for (const { LineNum, ...fields } of changed.filter(isKnown)) {
      for (const [field, value] of Object.entries(fields)) {
        const title = `${titleOf(field)}, línea ${LineNum + 1}`;
        add(`${LineNum}.${field}`, title, { before: line(before, LineNum)[field], now: line(now, LineNum)[field], mine: value });
      }
    }
  }
  return rows;
}

export function ConflictDialog({ resource, before, now, mine, removed, isBusy, problem, onKeepMine, onTakeTheirs, onClose }) {
  const rows = differences(resource, before, now, mine, removed);
  const side = (key, title) => ({ key, title, cell: (row) => (key !== "before" && row[key] !== row.before ? html`<mark>${row[key] || "vacío"}</mark>` : row[key] || html`<span class="muted">vacío</span>`) });
  const columns = [{ key: "title", title: "Dato", head: true, cell: (row) => row.title }, side("before", "Cuando lo abrió"), side("now", "Ahora en el ERP"), side("mine", "Con lo suyo")];
  return html`<${Dialog} large title="Alguien lo cambió: vea ambos" onClose=${onClose} foot=${html`
      <button type="button" onClick=${onTakeTheirs}>Dejar lo del ERP</button>
      <button type="button" class="main" disabled=${isBusy} onClick=${onKeepMine}>Guardar lo mío</button>`}>
    <p>Mientras usted escribía, otra persona guardó un cambio. No se ha sobrescrito nada.</p>
    <${Table} caption="Diferencias" columns=${columns} rows=${rows} rowKey=${(row) => row.name} />
    <${ProblemNote} problem=${problem} />
  <//>`;
}

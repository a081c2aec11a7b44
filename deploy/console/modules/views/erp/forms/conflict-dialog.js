/** Somebody changed the record meanwhile: both versions side by side, and the choice between them. */
import { Dialog } from "../../../components/dialog.js";
import { ProblemNote } from "../../../components/problem-note.js";
import { Table } from "../../../components/table/table.js";
import { exactMoment } from "../../../formats.js";
import { html } from "../../../html.js";
import { t } from "../../../texts.js";
import { actorOf } from "../../admin/audit-words.js";
import { isScalar } from "../line-columns.js";
import { write } from "../write-value.js";

const QUIET = new Set(["UpdateDate", "UpdateTime", "DocTotalSys", "DocTotal", "VatSum", "VatSumSys", "DataVersion"]);

/** `[{name, title, before, now, mine}]` of everything that either side changed. */
function differences(described, before, now, mine, collections) {
  const rows = [];
  const add = (name, title, values, fields = described, field = name) => rows.push({ name, title, ...Object.fromEntries(Object.entries(values).map(([side, value]) => [side, write(value, fields.fieldOf(field, value))])) });
  const names = new Set([...Object.keys(mine), ...Object.keys(now)].filter((name) => isScalar(now[name]) && !name.includes("odata")));
  for (const name of names) {
    const isMine = name in mine;
    if (!isMine && (now[name] === before[name] || QUIET.has(name))) continue;
    add(name, described.titleOf(name), { before: before[name], now: now[name], mine: isMine ? mine[name] : now[name] });
  }
  for (const { shape, removed } of collections) {
    const changed = mine[shape.name] ?? [];
    const inside = described.of(shape.name);
    const row = (record, number) => record[shape.name]?.find((each) => each[shape.number] === number) ?? {};
    const named = (record, number) => row(record, number)[shape.named];
    for (const number of removed) add(`${shape.name}.${number}.`, `${named(before, number)}${shape.placeOf(row(before, number))}`, { before: named(before, number), now: named(now, number), mine: "" });
    const isKnown = (each) => each[shape.number] !== undefined;
    changed.filter((each) => !isKnown(each)).forEach((each, at) => add(`${shape.name}.new.${at}`, shape.called, { before: "", now: "", mine: [each[shape.named], each.Quantity].filter(Boolean).join(" × ") }));
    for (const each of changed.filter(isKnown)) {
      const number = each[shape.number];
      for (const field of Object.keys(each).filter((name) => !shape.key.includes(name))) {
        const title = `${inside.titleOf(field)}${shape.placeOf(row(before, number))}`;
        add(`${shape.name}.${number}.${field}`, title, { before: row(before, number)[field], now: row(now, number)[field], mine: each[field] }, inside, field);
      }
    }
  }
  return rows;
}

export function ConflictDialog({ described, before, now, lastDone, mine, collections, isBusy, problem, onKeepMine, onTakeTheirs, onClose }) {
  const rows = differences(described, before, now, mine, collections);
  const side = (key, title) => ({ key, title, cell: (row) => (key !== "before" && row[key] !== row.before ? html`<mark>${row[key] || t`vacío`}</mark>` : row[key] || html`<span class="muted">${t`vacío`}</span>`) });
  const columns = [{ key: "title", title: t`Dato`, head: true, cell: (row) => row.title }, side("before", t`Cuando lo abrió`), side("now", t`Ahora en el ERP`), side("mine", t`Quedaría así`)];
  return html`<${Dialog} large title=${t`Alguien lo cambió: vea ambos`} onClose=${onClose} foot=${html`
      <button type="button" onClick=${onTakeTheirs}>${t`Dejar lo del ERP`}</button>
      <button type="button" class="main" disabled=${isBusy} onClick=${onKeepMine}>${t`Guardar lo mío`}</button>`}>
    <p>${t`Mientras usted escribía, otra persona guardó un cambio. No se ha sobrescrito nada. Para unir ambos, cierre esto y corrija lo suyo.${lastDone &&
      t` El último desde aquí: ${actorOf(lastDone.webUser)}, ${exactMoment(lastDone.at)}. Si no es ese, se cambió en el ERP mismo.`}`}</p>
    <${Table} caption=${t`Diferencias`} columns=${columns} rows=${rows} rowKey=${(row) => row.name} />
    <${ProblemNote} problem=${problem} />
  <//>`;
}

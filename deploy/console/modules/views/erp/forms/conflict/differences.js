/** What two people changed in one record: every field and row that either side changed, with the value of each side. Pure. */
import { t } from "../../../../texts.js";
import { isScalar } from "../../line-columns.js";
import { isStateValue } from "../../state-values.js";
import { write } from "../../write-value.js";

/** Values that the ERP computes or sets itself. They are never sent back. */
const SET_BY_ERP = /^(Update|Creat|Clos|Cancel|Print|Doc(Num|Total|Time)|Vat|Tax(Total|Sum)|PaidToDate|Open|Reserved|Total|DataVersion|Handwritten|Series|Attachment)|Sys$/;
/** Values that always follow from others, so that showing them says nothing. */
const QUIET = new Set(["UpdateDate", "UpdateTime", "DocTotalSys", "DocTotal", "DocTotalFc", "VatSum", "VatSumFc", "VatSumSys", "DataVersion"]);
const OF_DOCUMENT_LINES = new Set(["ItemCode", "Quantity", "UnitPrice", "DiscountPercent", "WarehouseCode", "TaxCode", "FreeText", "ShipDate", "AccountCode", "Currency", "ItemDescription"]);
const OF_ITEM = "ItemCode";
const LINE_STATUS = "LineStatus";
const IS_CUSTOM = /^U_/;

/**
 * @typedef {"mine" | "theirs"} Side
 * @typedef {{kind: "field", name: string} | {kind: "cell", shape: any, number: number, field: string} | {kind: "removal", shape: any, number: number} | {kind: "addition", shape: any, row: object}} Effect
 * @typedef {object} Difference
 * @property {string} path
 * @property {string} title
 * @property {string} before
 * @property {string} theirs
 * @property {string} mine
 * @property {any} value what taking mine would send
 * @property {Side | null} side the side to take unless the person decides otherwise; null where both changed it
 * @property {Effect | null} effect of taking mine; null where the form can't change it
 */

/** @returns {Side | null | undefined} undefined where nothing differs */
function sideOf(before, theirs, mine) {
  if (mine === theirs) return undefined;
  if (mine === before) return "theirs";
  return theirs === before ? "mine" : null;
}

const none = (value) => (value === undefined || value === "" ? null : value);

/** A difference between two values of one field; null where there is none. */
function difference(values, field, rest) {
  const [before, theirs, mine] = values.map(none);
  const side = sideOf(before, theirs, mine);
  if (side === undefined) return null;
  return { before: write(before, field), theirs: write(theirs, field), mine: write(mine, field), value: mine, side, ...rest };
}

/** The fields of the record itself. */
function fieldsThatDiffer({ described, before, now, mine, keyNames }) {
  const isDocument = Array.isArray(now.DocumentLines);
  const isFixed = (name, field) => keyNames.includes(name) || SET_BY_ERP.test(name) || isStateValue(now[name]) || (isDocument && field.measure?.kind === "amount");
  const names = [...new Set([...Object.keys(mine), ...Object.keys(now)])].filter((name) => isScalar(now[name] ?? null) && !name.includes("odata") && (name in mine || !QUIET.has(name)));
  return names.flatMap((name) => {
    const field = described.fieldOf(name, now[name] ?? mine[name]);
    const isMine = name in mine;
    const effect = isMine || !isFixed(name, field) ? { kind: "field", name } : null;
    return difference([before[name], now[name], isMine ? mine[name] : before[name]], field, { path: name, title: field.title, effect }) ?? [];
  });
}

const named = (shape, row) => (row ? [row[shape.named], row.Quantity !== undefined && write(row.Quantity, { type: "number" })].filter(Boolean).join(" × ") : "");
const isWritable = (shape, name) => (shape.number === "LineNum" ? OF_DOCUMENT_LINES.has(name) || IS_CUSTOM.test(name) : !shape.key.includes(name));

/** One row that both versions have: what differs in it, cell by cell. */
function cellsThatDiffer(shape, fields, { before, now, changes }) {
  const number = now[shape.number];
  const rowTitle = shape.placeOf(now);
  const cell = (name, isTaken) => {
    const field = fields.fieldOf(name, now[name] ?? changes[name]);
    const values = [before[name], now[name], name in changes ? changes[name] : before[name]];
    return difference(values, field, { path: `${shape.name}.${number}.${name}`, title: `${field.title}${rowTitle}`, effect: isTaken ? { kind: "cell", shape, number, field: name } : null });
  };
  const names = [...new Set([...Object.keys(changes), ...Object.keys(now)])].filter((name) => isScalar(now[name] ?? null) && name !== shape.number);
  const written = names.filter((name) => name in changes || isWritable(shape, name)).filter((name) => !(name === "ItemDescription" && !(name in changes) && now.ItemCode !== before.ItemCode));
  const found = written.map((name) => cell(name, true)).filter(Boolean);
  const states = names.filter((name) => name === LINE_STATUS).map((name) => cell(name, false)).filter(Boolean);
  return [...withDecisions(found, before, now), ...states];
}

/** A quantity or price that was typed for one item needs a decision where the line has another item now. */
function withDecisions(found, before, now) {
  const isOtherItem = OF_ITEM in now && before[OF_ITEM] !== now[OF_ITEM];
  return isOtherItem ? found.map((each) => (each.side === "mine" ? { ...each, side: null } : each)) : found;
}

/** What either side did to the rows of one collection. */
function rowsThatDiffer({ shape, done, fields, before, now }) {
  const at = (rows, number) => rows.find((row) => row[shape.number] === number);
  const path = (number) => `${shape.name}.${number}`;
  const texts = (was, theirs, mine) => ({ before: was, theirs, mine, value: null });
  const changesOf = (number) => done.changes[number] ?? {};
  const isChanged = (row, other) => Object.keys({ ...row, ...other }).some((name) => isWritable(shape, name) && isScalar(row[name] ?? null) && none(row[name]) !== none(other[name]));
  const staying = before.flatMap((row) => {
    const number = row[shape.number];
    const theirs = at(now, number);
    const isOut = done.removed.has(number);
    const title = `${row[shape.named] ?? ""}${shape.placeOf(row)}`;
    const mine = { ...row, ...changesOf(number) };
    if (theirs && !isOut) return cellsThatDiffer(shape, fields, { before: row, now: theirs, changes: changesOf(number) });
    if (theirs) return [{ path: path(number), title, ...texts(named(shape, row), named(shape, theirs), t`Se quita`), side: isChanged(row, theirs) ? null : "mine", effect: { kind: "removal", shape, number } }];
    if (isOut) return [];
    const again = Object.fromEntries(shape.fresh.map(({ name }) => [name, mine[name]]).filter(([, value]) => none(value) !== null));
    return [{ path: path(number), title, ...texts(named(shape, row), t`La quitaron`, named(shape, mine)), side: Object.keys(changesOf(number)).length ? null : "theirs", effect: { kind: "addition", shape, row: again } }];
  });
  const theirsAdded = now.filter((row) => !at(before, row[shape.number])).map((row) => ({ path: path(row[shape.number]), title: t`${shape.called} de la otra persona`, ...texts("", named(shape, row), t`Se quita`), side: "theirs", effect: { kind: "removal", shape, number: row[shape.number] } }));
  const added = done.fresh.map((row, index) => ({ path: `${shape.name}.new.${index}`, title: shape.called, ...texts("", "", named(shape, row)), side: "mine", effect: { kind: "addition", shape, row } }));
  return [...staying, ...theirsAdded, ...added];
}

/** Collections that the form does not show: the ERP's version stays. */
function othersThatDiffer({ described, before, now, parts }) {
  const names = Object.keys(now).filter((name) => Array.isArray(now[name]) && !parts.some(({ shape }) => shape.name === name));
  const changed = names.filter((name) => JSON.stringify(before[name] ?? []) !== JSON.stringify(now[name]));
  return changed.map((name) => ({ path: name, title: described.collectionTitle(name), before: "", theirs: t`Cambió`, mine: "", value: null, side: "theirs", effect: null }));
}

/**
 * Every field and row that either side changed.
 *
 * @param {object} versions
 * @param {import("../../../../api/descriptions.js").Description} versions.described
 * @param {any} versions.before the record that the person opened
 * @param {any} versions.now as the ERP has it
 * @param {any} versions.mine the fields that the person changed
 * @param {{shape: any, done: any}[]} versions.parts what the person did to rows, over `before`
 * @param {string[]} versions.keyNames
 * @returns {Difference[]}
 */
export function differencesOf({ described, before, now, mine, parts, keyNames }) {
  const rows = parts.flatMap(({ shape, done }) => rowsThatDiffer({ shape, done, fields: described.of(shape.name), before: before[shape.name] ?? [], now: now[shape.name] ?? [] }));
  return /** @type {Difference[]} */ ([...fieldsThatDiffer({ described, before, now, mine, keyNames }), ...rows, ...othersThatDiffer({ described, before, now, parts })]);
}

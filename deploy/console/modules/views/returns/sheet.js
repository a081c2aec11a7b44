/** A planning as a sheet to work by: what each document holds and waits for, sums, what is picked for whom. Pure. */
import { plural } from "../../formats.js";
import { millionths, numberText, readNumber, sumsBy } from "../../numbers.js";
import { t } from "../../texts.js";
import { DOCUMENT_STATES, meaningOf } from "./words.js";

const FIRST = Object.keys(DOCUMENT_STATES);

/** @returns {string | undefined} what was typed as quantities, added up; nothing where one of them is no number */
export function addedUp(...texts) {
  const values = texts.map((text) => readNumber(text).value);
  return values.includes(undefined) ? undefined : numberText(values.reduce((sum, value) => sum + millionths(value), 0) / 1e6);
}

export const nameOf = (lot) => lot.lote ?? lot.serie;

/** The batch or serial number that was read; in other letters only where none is written just so. */
export const lotCalled = (lots, code) => lots.find((lot) => nameOf(lot) === code) ?? lots.find((lot) => nameOf(lot).toUpperCase() === code.toUpperCase());

export const isGone = (document) => meaningOf(document).isGone === true;

/** Whether batches or serial numbers are still to be picked. */
export const lacksPicks = (line) => line.gestion !== "ninguna" && line.asignaciones.some(({ lote, serie }) => lote === null && serie === null);

export const isShort = (line) => !line.excluida && line.sinStock + line.sinEntrada + line.noDivisible > 0;

/** @returns {Map<number, {line: any, part: any}[]>} what is in each document */
export function contentsOf(lines) {
  const contents = new Map();
  for (const line of lines) {
    for (const part of line.asignaciones) {
      if (!contents.has(part.docId)) contents.set(part.docId, []);
      contents.get(part.docId).push({ line, part });
    }
  }
  return contents;
}

/**
 * Documents with what they hold, whether they wait for picks, and which ones took their place; what needs somebody first.
 *
 * A document that was dropped when its planning was closed still holds its lines; one that was planned anew holds nothing.
 */
export function sheetOf({ documentos, lineas }) {
  const contents = contentsOf(lineas);
  const isLater = (one, other) => other.docId > one.docId && !isGone(other);
  const isAlike = (one, other) => ["cardCode", "moneda", "sucursal"].every((name) => one[name] === other[name]);
  const rows = documentos.map((document) => {
    const parts = contents.get(document.docId) ?? [];
    const isReplaced = document.estado === "omitido" && parts.length === 0;
    return {
      ...document,
      parts,
      lacks: document.estado === "pendiente" && parts.some(({ line }) => lacksPicks(line)),
      replacedBy: isReplaced ? documentos.filter((other) => isLater(document, other) && isAlike(document, other)) : [],
    };
  });
  const rank = ({ estado, lacks }) => FIRST.indexOf(estado) - (lacks ? 0.5 : 0);
  return rows.sort((one, other) => rank(one) - rank(other) || one.docId - other.docId);
}

/** The numbers of documents whose content can't be changed, as the service says. */
export const holdingOf = (documents) => new Set(documents.filter(({ bloqueaLineas }) => bloqueaLineas).map(({ docId }) => docId));

/** Whether a document is more than a plan: then it is not waited for what the header lacks. */
export const holdsHeader = (documents) => documents.some((document) => !meaningOf(document).isPlanned);

export const isHeld = (line, holding) => line.asignaciones.some(({ docId }) => holding.has(docId));

/** Lines with what goes back of them alone: nothing of a document that was dropped. */
export function returningLines({ lineas, documentos }) {
  const gone = new Set(documentos.filter(isGone).map(({ docId }) => docId));
  const dropped = (line) => line.asignaciones.filter(({ docId }) => gone.has(docId)).reduce((sum, { cantidad }) => sum + millionths(cantidad), 0);
  return lineas.map((line) => ({ ...line, asignada: (millionths(line.asignada) - dropped(line)) / 1e6 }));
}

/** What becomes of the lines that are not left out, each quantity by its unit, and what the documents cost by currency. */
export function figuresOf({ lineas, documentos }) {
  const lines = returningLines({ lineas, documentos }).filter(({ excluida }) => !excluida);
  const documents = documentos.filter((document) => !isGone(document));
  const sums = (rows, kind, name) => sumsBy(rows, (row) => row[kind] ?? "", (row) => row[name]).filter(([, sum]) => sum !== 0);
  const amounts = (name) => sums(lines, "unidad", name);
  return {
    pedida: amounts("cantidad"),
    asignada: amounts("asignada"),
    sinStock: amounts("sinStock"),
    sinEntrada: amounts("sinEntrada"),
    noDivisible: amounts("noDivisible"),
    documentos: documents.length,
    total: sums(documents, "moneda", "total"),
  };
}

/**
 * What an execution came to: what it made, and what is left to somebody.
 *
 * @param {any[]} before the documents when it began
 * @param {any[]} documents as they are now
 * @returns {{text: string, kind: string, open: any[]}}
 */
export function outcomeOf(before, documents) {
  const had = new Set(before.filter(({ estado }) => estado === "creado").map(({ docId }) => docId));
  const made = documents.filter(({ docId, estado }) => estado === "creado" && !had.has(docId)).length;
  const count = (...states) => documents.filter(({ estado }) => states.includes(estado)).length;
  const failed = count("error");
  const unclear = documents.filter((document) => meaningOf(document).isUnclear).length;
  const told = [
    made ? plural(made, t`devolución creada`, t`devoluciones creadas`) : had.size ? t`Ninguna devolución más` : t`Ninguna devolución creada`,
    failed && plural(failed, t`falló`, t`fallaron`),
    unclear && t`${unclear} por aclarar`,
    count("en_aprobacion") && t`${count("en_aprobacion")} en aprobación`,
    count("pendiente") && plural(count("pendiente"), t`pendiente`, t`pendientes`),
  ];
  return {
    text: `${told.filter(Boolean).join(", ")}.`,
    kind: failed ? "bad" : unclear || !made ? "warn" : "ok",
    open: documents.filter((document) => meaningOf(document).isOpen),
  };
}

/** What to fetch for each supplier: items in order, one row for each batch or serial number. */
export function pickListOf({ documentos, lineas }) {
  const contents = contentsOf(lineas);
  const suppliers = new Map();
  for (const document of documentos.filter((each) => !isGone(each))) {
    if (!suppliers.has(document.cardCode)) suppliers.set(document.cardCode, { ...document, numbers: [], rows: new Map() });
    const { rows, numbers } = suppliers.get(document.cardCode);
    if (document.docNum !== null) numbers.push(document.docNum);
    for (const { line, part } of contents.get(document.docId) ?? []) {
      const lot = part.lote ?? part.serie ?? (line.gestion === "ninguna" ? "" : t`por elegir`);
      const key = JSON.stringify([line.itemCode, lot]);
      const row = rows.get(key) ?? { key, itemCode: line.itemCode, descripcion: line.descripcion, unidad: line.unidad, lot, cantidad: 0 };
      rows.set(key, { ...row, cantidad: (millionths(row.cantidad) + millionths(part.cantidad)) / 1e6 });
    }
  }
  const byCode = (one, other) => one.itemCode.localeCompare(other.itemCode, "es", { numeric: true }) || one.lot.localeCompare(other.lot, "es", { numeric: true });
  return [...suppliers.values()].map((each) => ({ ...each, rows: [...each.rows.values()].sort(byCode) })).filter(({ rows }) => rows.length > 0);
}

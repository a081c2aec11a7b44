/** How the wire's words are written for people. */
import { t } from "../../texts.js";

export const PLANNING_STATES = {
  planificada: [t`Planificada`, "now"],
  en_proceso: [t`En proceso`, "warn"],
  con_errores: [t`Con errores`, "bad"],
  ejecutada: [t`Ejecutada`, "ok"],
  ejecutada_en_parte: [t`Ejecutada en parte`, "warn"],
  cerrada: [t`Cerrada`, ""],
  ilegible: [t`Ilegible`, "bad"],
};
/**
 * The state of a planning as people read it. The service says `planificada` of one that has returns and documents that are
 * still to be made: here that is another state, so that it doesn't look as if nothing had been executed.
 */
export const planningStateOf = ({ estado, creados = 0 }) => (estado === "planificada" && creados > 0 ? "ejecutada_en_parte" : estado);

/**
 * Document states in the order of the work sheet: label, tone, and what a state means on the pages.
 *
 * isPlanned: nothing was sent; isGone: nothing goes back with it; isOpen: somebody has to act or wait;
 * isTroubled: today's page lists it; isUnclear: it is unknown whether the ERP has the return.
 *
 * @type {Record<string, [string, string, {isPlanned?: boolean, isGone?: boolean, isOpen?: boolean, isTroubled?: boolean, isUnclear?: boolean}]>}
 */
export const DOCUMENT_STATES = {
  error: [t`Error`, "bad", { isOpen: true, isTroubled: true }],
  incierto: [t`Sin respuesta`, "warn", { isOpen: true, isTroubled: true, isUnclear: true }],
  en_proceso: [t`En proceso`, "warn", { isUnclear: true }],
  en_aprobacion: [t`En aprobación`, "warn", { isOpen: true }],
  pendiente: [t`Pendiente`, "now", { isPlanned: true }],
  creado: [t`Creado`, "ok", {}],
  anulado: [t`Anulado`, "", { isGone: true }],
  omitido: [t`Omitido`, "", { isGone: true, isPlanned: true }],
};
/** What a document's state means; nothing for one that this console does not know. */
export const meaningOf = ({ estado }) => DOCUMENT_STATES[estado]?.[2] ?? {};
export const LINE_STATES = {
  planificada: [t`Completa`, "ok"],
  parcial: [t`Parcial`, "warn"],
  sin_stock: [t`Sin stock`, "bad"],
  sin_entrada: [t`Sin entrada`, "bad"],
  no_divisible: [t`No divisible`, "bad"],
  requiere_lotes: [t`Elegir lotes`, "warn"],
  excluida: [t`Excluida`, ""],
  devuelta: [t`Devuelta`, "ok"],
  error: [t`Error`, "bad"],
  descartada: [t`Descartada`, ""],
};
export const COLUMN_MEANINGS = { codigo: t`Código`, cantidad: t`Cantidad`, motivo: t`Motivo`, almacen: t`Bodega`, comentario: t`Comentario` };
export const SHEET_COLUMNS = { codigo: t`Código`, cantidad: t`Cantidad`, motivo: t`Motivo` };
export const wordOf = (words, state) => words[state] ?? [state, ""];

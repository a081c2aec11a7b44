/** How the wire's words are written for people. */
import { t } from "../../texts.js";

export const PLANNING_STATES = {
  planificada: [t`Planificada`, "now"],
  en_proceso: [t`En proceso`, "warn"],
  con_errores: [t`Con errores`, "bad"],
  ejecutada: [t`Ejecutada`, "ok"],
  cerrada: [t`Cerrada`, ""],
  ilegible: [t`Ilegible`, "bad"],
};
export const DOCUMENT_STATES = {
  pendiente: [t`Pendiente`, "now"],
  en_proceso: [t`En proceso`, "warn"],
  incierto: [t`Sin respuesta`, "warn"],
  creado: [t`Creado`, "ok"],
  error: [t`Error`, "bad"],
  en_aprobacion: [t`En aprobación`, "warn"],
  omitido: [t`Omitido`, ""],
  anulado: [t`Anulado`, ""],
};
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

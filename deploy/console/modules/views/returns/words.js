/** How the wire's words are written for people. */
export const PLANNING_STATES = {
  planificada: ["Planificada", "now"],
  en_proceso: ["En proceso", "warn"],
  con_errores: ["Con errores", "bad"],
  ejecutada: ["Ejecutada", "ok"],
  cerrada: ["Cerrada", ""],
  ilegible: ["Ilegible", "bad"],
};
export const DOCUMENT_STATES = {
  pendiente: ["Pendiente", "now"],
  en_proceso: ["En proceso", "warn"],
  incierto: ["Sin respuesta", "warn"],
  creado: ["Creado", "ok"],
  error: ["Error", "bad"],
  en_aprobacion: ["En aprobación", "warn"],
  omitido: ["Omitido", ""],
  anulado: ["Anulado", ""],
};
export const LINE_STATES = {
  planificada: ["Completa", "ok"],
  parcial: ["Parcial", "warn"],
  sin_stock: ["Sin stock", "bad"],
  sin_entrada: ["Sin entrada", "bad"],
  no_divisible: ["No divisible", "bad"],
  requiere_lotes: ["Elegir lotes", "warn"],
  excluida: ["Excluida", ""],
  devuelta: ["Devuelta", "ok"],
  error: ["Error", "bad"],
  descartada: ["Descartada", ""],
};
export const SHEET_COLUMNS = { codigo: "Código", cantidad: "Cantidad", motivo: "Motivo" };
export const wordOf = (words, state) => words[state] ?? [state, ""];

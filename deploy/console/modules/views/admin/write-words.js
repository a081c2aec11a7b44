/** What is said of a write to the ERP. */
export const KINDS = { create: "Crear", update: "Cambiar", action: "Acción" };
export const STATES = {
  open: ["En camino", "now"], done: ["Hecha", "ok"], refused: ["Rechazada", "bad"], not_sent: ["No salió", ""],
  unknown: ["Sin saberse", "warn"], not_done: ["No se hizo", ""],
};

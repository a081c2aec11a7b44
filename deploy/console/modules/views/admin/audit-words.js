/** The audit's words for people; docs/audit.md has what each means. */

export const ACTIONS = {
  login: "Entró", login_failed: "No pudo entrar", logout: "Salió", session_ended: "Sesión terminada", login_block_lifted: "Bloqueo levantado",
  sl_create: "Creó", sl_update: "Cambió", sl_action: "Acción", sl_attach: "Agregó archivos", write_settled: "Escritura aclarada", permission_denied: "Sin permiso",
  permissions_replace: "Dio permisos", permissions_remove: "Quitó permisos", report_register: "Registró un informe",
  report_unregister: "Quitó un informe", report_export: "Informe del ERP", db_query: "Consulta", html_report: "Informe",
};
export const RESULTS = { ok: ["Bien", "ok"], error: ["Falló", "bad"], denied: ["Negado", "warn"], unknown: ["Sin saberse", "warn"] };

/** Who it was: a person, or the service itself. */
export const actorOf = (webUser) => ({
  startup: "el arranque", cli: "la consola del servidor", recheck: "la revisión de usuarios", lookup: "la búsqueda de escrituras",
})[webUser] ?? webUser;

/** What was acted on where it is none of the ERP's records; its key is a web user. */
export const OWN_THINGS = { permissions: "Permisos de", sessions: "Sesión de", "login-blocks": "Bloqueo de" };

/** A field that was sent, such as `DocumentLines[].ItemCode`, in the words of its record's page; null for what only numbers lines. */
export function fieldInWords(path, described) {
  const [collection, field] = path.split("[].");
  if (!described) return path;
  if (field === undefined) return described.titleOf(path);
  return field === "LineNum" ? null : `${described.collectionTitle(collection)}: ${described.of(collection).titleOf(field)}`;
}

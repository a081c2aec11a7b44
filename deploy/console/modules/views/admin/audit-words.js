/** The audit's words for people; docs/audit.md has what each means. */
import { t } from "../../texts.js";

export const ACTIONS = {
  login: t`Entró`, login_failed: t`No pudo entrar`, logout: t`Salió`, session_ended: t`Sesión terminada`, login_block_lifted: t`Bloqueo levantado`,
  sl_create: t`Creó`, sl_update: t`Cambió`, sl_action: t`Acción`, sl_attach: t`Agregó archivos`, write_settled: t`Operación aclarada`, permission_denied: t`Sin permiso`,
  permissions_replace: t`Dio permisos`, permissions_remove: t`Quitó permisos`, report_register: t`Registró un informe`,
  report_unregister: t`Quitó un informe`, report_export: t`Informe del ERP`, db_query: t`Consulta`, html_report: t`Informe`,
};
export const RESULTS = { ok: [t`Bien`, "ok"], error: [t`Falló`, "bad"], denied: [t`Negado`, "warn"], unknown: [t`Sin saberse`, "warn"] };

/** Who it was: a person, or the service itself. */
export const actorOf = (webUser) => ({
  startup: t`el arranque`, cli: t`la consola del servidor`, recheck: t`la revisión de usuarios`, lookup: t`la búsqueda de operaciones`,
})[webUser] ?? webUser;

/** What was acted on where it is none of the ERP's records; its key is a web user. */
export const OWN_THINGS = { permissions: t`Permisos de`, sessions: t`Sesión de`, "login-blocks": t`Bloqueo de` };

/** A field that was sent, such as `DocumentLines[].ItemCode`, in the words of its record's page; null for what only numbers lines. */
export function fieldInWords(path, described) {
  const [collection, field] = path.split("[].");
  if (!described) return path;
  if (field === undefined) return described.titleOf(path);
  return field === "LineNum" ? null : `${described.collectionTitle(collection)}: ${described.of(collection).titleOf(field)}`;
}

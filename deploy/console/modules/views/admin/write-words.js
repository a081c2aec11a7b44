/** What is said of a write to the ERP. */
import { t } from "../../texts.js";

export const KINDS = { create: t`Crear`, update: t`Cambiar`, action: t`Acción` };
export const STATES = {
  open: [t`En camino`, "now"], done: [t`Hecha`, "ok"], refused: [t`Rechazada`, "bad"], not_sent: [t`No salió`, ""],
  unknown: [t`Sin saberse`, "warn"], not_done: [t`No se hizo`, ""],
};

/** The place of a write in its change set; nothing for a write alone. */
export const placeInSet = ({ changeSet, position }) => (changeSet ? t`n.º ${position + 1} de un conjunto` : "");

/** States of plannings, documents and lines as badges. */
import { Badge } from "../../components/badge.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { DOCUMENT_STATES, LINE_STATES, PLANNING_STATES, wordOf } from "./words.js";

export const KINDS = ["bad", "warn", "now", "ok", ""]; // problems first

export function StateBadge({ state: [text, kind] }) {
  return html`<${Badge} kind=${kind}>${text}<//>`;
}

export const PlanningState = ({ state }) => html`<${StateBadge} state=${wordOf(PLANNING_STATES, state)} />`;

/** @returns {[string, string]} */
export const documentState = ({ estado, lacks }) => (lacks ? [t`Faltan lotes o series`, "warn"] : wordOf(DOCUMENT_STATES, estado));

/** @returns {[string, string]} */
export function lineState(line) {
  if (line.estado === "devuelta" && line.asignada < line.cantidad) return [t`Devuelta en parte`, "warn"];
  if (line.estado === "requiere_lotes" && line.gestion === "series") return [t`Elegir series`, "warn"];
  return wordOf(LINE_STATES, line.estado);
}

/** The parts of the system. */
import { State } from "../../components/badge.js";
import { moment, number } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";

const SESSIONS = { active: [t`Abierta`, "ok"], none: [t`Ninguna`, ""], logging_in: [t`Se abre`, "now"], failing: [t`Rechazada`, "bad"], ended: [t`Cerrada`, ""] };

export function Parts({ now }) {
  const { reportGateway, database, printing, audit, log } = now;
  const work = ({ waiting, running }) => t`${number(running)} en curso, ${number(waiting)} en espera`;
  const rows = [
    [t`Versión`, now.version],
    [t`Funciona desde`, moment(now.startedAt)],
    [t`Sesión en el ERP`, html`<${State} of=${now.erp.session} words=${SESSIONS} />`],
    [t`Informes del ERP`, reportGateway.configured ? work(reportGateway) : t`no configurado`],
    [t`Base de datos`, database.engine ? `${database.engine}: ${work(database)}` : t`no configurada`],
    [t`Impresión`, printing.available ? `${printing.engine}: ${work(printing)}` : t`no hay con qué imprimir`],
    [t`Auditoría por guardar`, number(audit.owed)],
    [t`Líneas de registro perdidas`, number(log.droppedAudit + log.droppedOther)],
  ];
  return html`<dl class="pairs">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** What the ERP's actions are called, what each does, and when it makes sense. Pure. */
import { t } from "../../texts.js";
import { documentStateOf } from "./document-state.js";

/** What is done to a record by the ERP's verbs. */
export const ACTIONS = { Cancel: t`Anular`, Close: t`Cerrar`, Reopen: t`Reabrir`, CreateCancellationDocument: t`Anular con documento` };

const CANCELS = {
  IncomingPayments: t`El cobro queda anulado: las facturas que pagó vuelven a quedar por pagar y su asiento se revierte.`,
  VendorPayments: t`El pago queda anulado: las facturas que pagó vuelven a quedar por pagar y su asiento se revierte.`,
  JournalEntries: t`El ERP crea el asiento contrario. Ambos quedan a la vista.`,
  StockTransfers: t`La mercadería vuelve a la bodega de la que salió, con un traslado contrario.`,
};
const EFFECTS = {
  Cancel: t`El documento queda anulado y ya no se puede usar ni copiar. No se borra: sigue a la vista con su número.`,
  Close: t`Queda cerrado tal como está: lo que falta entregar o facturar ya no se podrá copiar a otro documento.`,
  Reopen: t`Vuelve a estar abierto: lo que faltaba se podrá entregar o facturar de nuevo.`,
  CreateCancellationDocument: t`El ERP crea un documento de anulación que revierte las existencias y la contabilidad. Los dos quedan a la vista y esto no se puede deshacer.`,
};

/** What an action will do, in words; null for one that the console doesn't know. @returns {string | null} */
export function effectOf(resource, action) {
  if (action === "Cancel" && Object.hasOwn(CANCELS, resource)) return CANCELS[resource];
  return Object.hasOwn(EFFECTS, action) ? EFFECTS[action] : null;
}

const linesOf = (record) => record.DocumentLines ?? record.StockTransferLines ?? [];
const isUndrawn = (record) => linesOf(record).every(({ RemainingOpenQuantity: open, Quantity: all }) => open === undefined || open === all);
const isOpenOrUnsaid = (state) => state === "open" || state === null;

const FITS = {
  Close: (_, state) => isOpenOrUnsaid(state),
  Cancel: (record, state) => isOpenOrUnsaid(state) && isUndrawn(record),
  Reopen: (record, state) => state === "closed" && linesOf(record).some(({ RemainingOpenQuantity: open }) => open === undefined || open > 0),
  CreateCancellationDocument: (record, state) => (state === "open" || state === "closed") && isUndrawn(record) && !record.PaidToDate,
};

/** Those of the offered actions that fit the record as it is. @param {string[]} offered */
export function actionsFor(offered, record) {
  const state = documentStateOf(record);
  return offered.filter((action) => (Object.hasOwn(FITS, action) ? FITS[action](record, state) : true));
}

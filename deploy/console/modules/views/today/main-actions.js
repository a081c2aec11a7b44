/** What a person most likely comes for, by what they may do. Pure. */
import { t } from "../../texts.js";
import { oneOf } from "../erp/heads.js";

const MOST = 2;
const MADE = ["Orders", "Quotations", "PurchaseOrders", "DeliveryNotes"]; // the first that one may make

/** The actions by what a person may do. @param {{items: any[]} | undefined} offer @param {boolean} returns */
export function actionsOf(offer, returns) {
  const items = offer?.items ?? [];
  const made = MADE.map((name) => items.find((each) => each.name === name && each.methods.includes("POST"))).find(Boolean);
  const actions = [
    made && { href: `#/crear/${made.name}`, text: t`Crear: ${oneOf(made)}` },
    returns && { href: "#/devoluciones/nueva", text: t`Nueva devolución` },
    items.length > 0 && { href: "#/erp", text: t`Buscar registros` },
    offer && { href: "#/informes", text: t`Informes y consultas` },
    returns && { href: "#/devoluciones", text: t`Planificaciones` },
  ];
  return actions.filter(Boolean).slice(0, MOST);
}

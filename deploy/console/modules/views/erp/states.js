/** States of records as badges. */
import { Badge } from "../../components/badge.js";
import { html } from "../../html.js";
import { write } from "./write-value.js";

const AUTHORIZATIONS = { Pending: "warn", Approved: "ok", Rejected: "bad", Generated: "ok", GeneratedbyAuthorizer: "ok", Cancelled: "bad" };

/** Values of the ERP's enumerations that say how far something is, by the kind of badge that shows them; each means the same in all. */
const STATES = {
  bost_Open: "now", so_Open: "now", bost_Close: "", so_Closed: "", bost_Paid: "ok", bost_Delivered: "ok", csYes: "bad", csCancellation: "bad",
  dlps_NotPicked: "", dlps_ReleasedForPicking: "now", dlps_PartiallyPicked: "warn", dlps_Picked: "ok",
  ...Object.fromEntries(["das", "pas", "sas"].flatMap((of) => Object.entries(AUTHORIZATIONS).map(([state, kind]) => [of + state, kind]))),
};

/** A state of a record as a badge; null for every other value. */
export const stateOf = (value, field) => (Object.hasOwn(STATES, value) ? html`<${Badge} kind=${STATES[value]}>${write(value, field)}<//>` : null);

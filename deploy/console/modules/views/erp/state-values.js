/** Values of the ERP's enumerations that say how far something is. Pure. */

const AUTHORIZATIONS = { Pending: "warn", Approved: "ok", Rejected: "bad", Generated: "ok", GeneratedbyAuthorizer: "ok", Cancelled: "bad" };

/** The kind of badge that shows each value; a value means the same in all resources. */
export const STATES = {
  bost_Open: "now", so_Open: "now", bost_Close: "", so_Closed: "", bost_Paid: "ok", bost_Delivered: "ok", csYes: "bad", csCancellation: "bad",
  dlps_NotPicked: "", dlps_ReleasedForPicking: "now", dlps_PartiallyPicked: "warn", dlps_Picked: "ok",
  ...Object.fromEntries(["das", "pas", "sas"].flatMap((of) => Object.entries(AUTHORIZATIONS).map(([state, kind]) => [of + state, kind]))),
};

export const isStateValue = (value) => Object.hasOwn(STATES, value);

/** States of records as badges. */
import { Badge } from "../../components/badge.js";
import { html } from "../../html.js";
import { isStateValue, STATES } from "./state-values.js";
import { write } from "./write-value.js";

/** A state of a record as a badge; null for every other value. */
export const stateOf = (value, field) => (isStateValue(value) ? html`<${Badge} kind=${STATES[value]}>${write(value, field)}<//>` : null);

/** A value of a record, with the link where it leads. */
import { hrefTo } from "../../addresses.js";
import { html } from "../../html.js";
import { writeIn } from "./amounts.js";
import { stateOf } from "./states.js";

/** The resource of the record that a field's values lead to, where this person may read it. */
export const targetOf = ({ lookup }, offer) => lookup && offer.items.find(({ name, methods }) => name === lookup.resource && methods.includes("GET"));

/**
 * A value, as a link where it is the key of another record that this person may read.
 *
 * @param {{value: any, field: any, offer: {items: any[]}, row?: object, around?: object, nameOf?: (field: any, value: any) => string | undefined, nothing?: any}} props `row`: whose value it is
 */
export function Value({ value, field, offer, row = {}, around = {}, nameOf, nothing = html`<span class="muted">–</span>` }) {
  const text = writeIn(value, field, row, around);
  if (text === "") return nothing;
  const state = stateOf(value, field);
  if (state) return state;
  const target = targetOf(field, offer);
  const name = nameOf?.(field, value);
  return target ? html`<a href=${hrefTo(["erp", target.name, value])}>${text}${name && html`<span class="wrapped"> · ${name}</span>`}</a>` : text;
}

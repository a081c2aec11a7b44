/** What records are called where they are named outside their own page. */
import { readOffer, readShownName } from "../../api/records.js";
import { html } from "../../html.js";
import { hrefTo } from "../../addresses.js";
import { t } from "../../texts.js";
import { oneOf } from "./heads.js";

export { oneOf };

const INTERNAL = ["DocEntry", "AbsEntry", "JdtNum"]; // keys that people do not know documents by

/** @returns {Promise<Map<string, {one: string, isInternal: boolean}>>} by the ERP's names; empty where nobody says */
export async function readNames() {
  try {
    const { items } = await readOffer();
    return new Map(items.map((each) => [each.name, { one: oneOf(each), isInternal: INTERNAL.includes(each.key[0].name) }]));
  } catch {
    return new Map();
  }
}

/** A record as the audit and the ledger know it: by its key, with the ERP's name of the resource at hand. */
export function RecordName({ names, resource, recordKey, isLink = true }) {
  const known = names.get(resource);
  if (!known && !recordKey) return resource;
  const key = !recordKey ? "" : known?.isInternal ? ` (interno ${recordKey})` : ` ${recordKey}`;
  const text = `${known?.one ?? resource}${key}`;
  return html`${isLink && recordKey ? html`<a href=${hrefTo(["erp", resource, recordKey])}>${text}</a>` : text}`;
}

/** The resource, and what one of its records is called: `Pedido de venta 101926`. */
export async function readNameOf(resource, key) {
  const { items } = await readOffer();
  const known = items.find((each) => each.name === resource);
  return known ? { title: known.title ?? known.name, one: oneOf(known), shown: await readShownName(known, key) } : { title: null, one: t`Registro`, shown: key };
}

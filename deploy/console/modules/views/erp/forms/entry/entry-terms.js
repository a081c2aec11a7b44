/** What most documents take from their partner: terms, ship-to, seller; and the comments. */
import { listRecords } from "../../../../api/records.js";
import { ValueHelp } from "../../../../components/value-help.js";
import { literalOf } from "../../../../finding/conditions.js";
import { html, useState } from "../../../../html.js";
import { t } from "../../../../texts.js";
import { TypedField } from "../typed-inputs.js";

const SHIP_TO = "ShipToCode";
const KEY = "CardCode";

/** The names of the addresses to which goods go. */
async function readShipTo(partner) {
  const { value } = await listRecords("BusinessPartners", { select: `${KEY},BPAddresses`, filter: `${KEY} eq ${literalOf({ type: "text" }, partner)}`, top: 1 });
  const found = (value[0]?.BPAddresses ?? []).filter(({ AddressType }) => AddressType === "bo_ShipTo");
  return found.map(({ AddressName, Street, City }) => ({ value: AddressName, label: [Street, City].filter(Boolean).join(", ") }));
}

/** @param {{columns: any[], creation: any, partner: string | undefined}} props `partner`: the code of the chosen one */
export function EntryTerms({ columns, creation, partner }) {
  const [addresses, setAddresses] = useState([]);
  const browse = async () => setAddresses(partner ? await readShipTo(partner).catch(() => []) : []);
  return html`<section class="panel" aria-label=${t`Condiciones y entrega`}>
    <div class="fields">${columns.map((column) => {
      const field = { key: column.name, value: creation.texts[column.name] ?? "", fault: creation.faultOf(column.name), onInput: creation.type(column.name) };
      return column.name === SHIP_TO
        ? html`<${ValueHelp} label=${column.title} options=${addresses} onBrowse=${browse} hint=${!partner && t`Elija primero el socio.`} ...${field} />`
        : html`<${TypedField} column=${column} wide=${column.name === "Comments"} ...${field} />`;
    })}</div>
  </section>`;
}

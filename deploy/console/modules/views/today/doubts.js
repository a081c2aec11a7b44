/** Writes whose outcome is unknown. */
import { hrefTo } from "../../addresses.js";
import { listWrites } from "../../api/gateway.js";
import { moment } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { KINDS } from "../admin/write-words.js";
import { readNames, RecordName } from "../erp/names.js";
import { more, MOST, Nothing } from "./card-rows.js";

export async function readDoubts() {
  const found = await listWrites({ resultado: "unknown", pageSize: MOST });
  return { ...found, names: found.total ? await readNames() : new Map() };
}

export function Doubts({ data }) {
  if (!data.total) return html`<${Nothing}>${t`Nada que aclarar: de todo lo que se envió al ERP se sabe qué fue.`}<//>`;
  return html`<ul class="stack tight">${data.items.map((write) => html`<li key=${write.id}>
      <a href=${hrefTo(["escrituras"], { numero: write.id })}>${KINDS[write.kind] ?? write.kind}</a>: <${RecordName} names=${data.names} resource=${write.resource} recordKey=${write.key} isLink=${false} />
      <span class="note">${write.webUser}, ${moment(write.at)}</span>
    </li>`)}</ul>${more(data)}`;
}

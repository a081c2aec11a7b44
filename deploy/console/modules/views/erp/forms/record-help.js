/** The value help of a field whose value is the key of another record. */
import { listRecords, readOffer } from "../../../api/records.js";
import { ValueHelp } from "../../../components/value-help.js";
import { filterOf } from "../../../finding/conditions.js";
import { money, number } from "../../../formats.js";
import { html, useEffect, useRef, useState } from "../../../html.js";
import { t } from "../../../texts.js";

const SUGGEST_AFTER_MS = 250;
const LEAST_LETTERS = 2;
const MOST_SUGGESTIONS = 50;

/**
 * @param {object} props
 * @param {any} props.column
 * @param {string} props.value
 * @param {(text: string) => void} props.onInput
 * @param {number} [props.priceList] whose prices help to choose an item
 * @param {(record: any) => void} [props.onFound] called with the record whose key was chosen
 * @param {boolean} [props.isBare] whether what the chosen record is called stands elsewhere
 */
export function RecordHelp({ column, value, onInput, priceList, onFound, isBare = false, ...field }) {
  const [suggestions, setSuggestions] = useState([]);
  const isTyped = useRef(false); // what was there before needs no help
  const chosen = suggestions.find((each) => each.key === value);
  const isAsked = isTyped.current && value.length >= LEAST_LETTERS && !chosen;
  const offer = (found) => setSuggestions(found);
  useEffect(() => {
    if (chosen) onFound?.(chosen.record);
    if (!isAsked) return undefined;
    let isWanted = true;
    const timer = setTimeout(() => suggest(column.lookup, value).then((found) => isWanted && offer(found), () => {}), SUGGEST_AFTER_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [value, chosen]);
  const type = (text) => {
    isTyped.current = true;
    onInput(text);
  };
  const browse = () => suggest(column.lookup, value.length >= LEAST_LETTERS && !chosen ? value : "").then(offer, () => {});
  const helpOf = ({ record }) => helpFor(record, column.lookup.shows, priceList);
  const options = suggestions.map((each) => ({ value: each.key, label: helpOf(each) }));
  return html`<${ValueHelp} label=${column.title} value=${value} onInput=${type} onBrowse=${browse} hint=${!isBare && chosen && helpOf(chosen)} options=${options} ...${field} />`;
}

/** What helps to choose a record: its name, and of an item its price in this list and its stock. */
export function helpFor(record, [label], priceList) {
  const price = record.ItemPrices?.find((each) => each.PriceList === priceList);
  return [record[label], price?.Price && money(price.Price, price.Currency, { isPrice: true }), stockOf(record)].filter(Boolean).join(" · ");
}

/** How many of an item there are; an empty text for other records. */
const stockOf = (record) => (typeof record.QuantityOnStock === "number" ? t`${number(record.QuantityOnStock)} ${record.InventoryUOM ?? ""} en existencia` : "");

/** Records whose code or name holds the text, of those that may be chosen; without a text the first of all. */
async function suggest({ resource, filter, shows }, text) {
  const { items } = await readOffer();
  const target = items.find((each) => each.name === resource && each.key.length === 1 && each.methods.includes("GET"));
  if (!target) return [];
  const [{ name, type }] = target.key;
  const searched = [{ name, type, title: "", search: "code" }, { name: shows[0], type: "text", title: "", search: "name" }];
  const found = text.trim() ? filterOf([{ text }], [], { searched }).filter : "";
  if (text.trim() && !found) return [];
  const filters = [found && (filter ? `(${found})` : found), filter].filter(Boolean).join(" and ");
  const { value } = await listRecords(resource, { select: [name, ...shows].join(","), filter: filters || undefined, orderby: found ? undefined : name, top: MOST_SUGGESTIONS });
  return value.map((record) => ({ key: String(record[name]), record }));
}

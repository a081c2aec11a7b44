/** Choosing rows: the column of boxes. Each box follows the set of chosen keys by itself, so that no row is drawn again. */
import { html, useLayoutEffect, useState } from "../../html.js";
import { createStore, useStore } from "../../store.js";
import { t } from "../../texts.js";

/** The keys of the chosen rows, of those that are there; each box follows it by itself, so that no row is drawn anew. */
export function useChosen(rows, rowKey) {
  const [chosen] = useState(() => createStore(/** @type {Set<any>} */ (new Set())));
  useLayoutEffect(() => {
    const here = new Set(rows.map(rowKey));
    const staying = [...chosen.get()].filter((key) => here.has(key));
    if (staying.length < chosen.get().size) chosen.set(new Set(staying));
  }, [rows]);
  return chosen;
}

export function choiceColumn(chosen, rows, rowKey, columns) {
  const name = columns.find((column) => column.head) ?? columns[0];
  const words = (row) => (name.text ?? name.cell)(row);
  return {
    key: "choice", title: html`<${ChooseAll} chosen=${chosen} keys=${rows.map(rowKey)} />`, controls: true, isChoice: true,
    cell: (row) => html`<${Choose} chosen=${chosen} rowKey=${rowKey(row)} words=${words(row)} />`,
  };
}

function Choose({ chosen, rowKey, words }) {
  const [isOn, setOn] = useState(() => chosen.get().has(rowKey));
  useLayoutEffect(() => chosen.subscribe((keys) => setOn(keys.has(rowKey))), [chosen, rowKey]);
  const toggle = (event) => {
    const next = new Set(chosen.get());
    if (event.target.checked) next.add(rowKey);
    else next.delete(rowKey);
    chosen.set(next);
  };
  return html`<input type="checkbox" aria-label=${t`Elegir ${typeof words === "string" ? words : rowKey}`} checked=${isOn} data-choice=${rowKey} onChange=${toggle} />`;
}

function ChooseAll({ chosen, keys }) {
  const count = useStore(chosen).size;
  return html`<input type="checkbox" aria-label=${t`Elegir todas las filas`} checked=${count === keys.length} indeterminate=${count > 0 && count < keys.length}
    onChange=${(event) => chosen.set(new Set(event.target.checked ? keys : []))} />`;
}

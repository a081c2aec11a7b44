/** The columns with the buttons that open a line of a planning. */
import { html, useMemo } from "../../html.js";
import { t } from "../../texts.js";
import { holdingOf, isHeld, lacksPicks } from "./sheet.js";

const COLUMN = { key: "editar", title: t`Cambiar`, quiet: true, controls: true };
const editWord = (line) => (lacksPicks(line) ? t`Elegir ${line.gestion}` : t`Cambiar`);

/**
 * @param {any} planning
 * @param {boolean} mayEdit
 * @param {(lineId: any) => void} onOpen
 */
export function useEditColumns(planning, mayEdit, onOpen) {
  return useMemo(() => {
    const holding = holdingOf(planning?.documentos ?? []);
    const open = (line) => html`<button type="button" class="small" onClick=${() => onOpen(line.lineId)} aria-label=${`${editWord(line)} ${line.itemCode}`}>${editWord(line)}</button>`;
    return {
      ofLines: [{ ...COLUMN, cell: (line) => mayEdit && !isHeld(line, holding) && open(line) }],
      ofItems: mayEdit ? [{ ...COLUMN, cell: ({ line }) => lacksPicks(line) && !isHeld(line, holding) && open(line) }] : [],
    };
  }, [planning, mayEdit]);
}

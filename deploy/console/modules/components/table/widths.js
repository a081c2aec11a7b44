/** How wide the columns of a table are: as wide as what is in them, until somebody makes one wider or narrower; that is remembered. */
import { html, useLayoutEffect, useRef, useState } from "../../html.js";
import { keepLayout, readLayout } from "../../preferences.js";
import { t } from "../../texts.js";

const NARROWEST = 40;
const WIDEST = 1200;
const STEP = 16;
const USUAL = 160; // of a column that came later

const within = (width) => Math.round(Math.min(WIDEST, Math.max(NARROWEST, width)));

/**
 * @param {string | undefined} layout under which they are remembered; none can be changed where there is none
 * @param {{key: string}[]} columns as they are drawn
 * @param {{current: any}} box around the table
 */
export function useWidths(layout, columns, box) {
  const [widths, setWidths] = useState(() => (layout ? readLayout(layout).widths : undefined));
  if (!layout) return { cols: null, grip: undefined, style: undefined, now: undefined };
  const keep = (next) => {
    keepLayout(layout, { widths: next });
    setWidths(next);
  };
  /** From the first change on all columns have a width of their own, so that none moves with another one. */
  const resize = (key, width) => keep({ ...(widths ?? measured()), [key]: within(width) });
  const measured = () => {
    const heads = [...box.current.firstElementChild.tHead.rows[0].cells];
    return Object.fromEntries(columns.map((column, at) => [column.key, within(heads[at].getBoundingClientRect().width)]));
  };
  const widthOf = ({ key }) => widths[key] ?? USUAL;
  return {
    now: widths,
    cols: widths && html`<colgroup>${columns.map((column) => html`<col key=${column.key} style=${{ width: `${widthOf(column)}px` }} />`)}</colgroup>`,
    style: widths && { width: `${columns.reduce((sum, column) => sum + widthOf(column), 0)}px` },
    grip: (column) => html`<${Grip} title=${column.title} width=${widths?.[column.key]} onResize=${(width) => resize(column.key, width)} onReset=${() => keep(undefined)} />`,
  };
}

/** The edge of a column: drawn by the mouse, moved by the arrow keys; Supr or two clicks let all be as at first. */
function Grip({ title, width, onResize, onReset }) {
  const box = useRef(null);
  const from = useRef(null);
  const widthNow = () => width ?? box.current.parentElement.getBoundingClientRect().width; // Chromium draws, and measures, a new width up to a frame later
  useLayoutEffect(() => box.current.setAttribute("aria-valuenow", String(Math.round(widthNow()))), [width]);
  const press = (event) => {
    if (event.button !== 0) return;
    event.preventDefault(); // no text is chosen
    box.current.setPointerCapture(event.pointerId);
    from.current = event.clientX;
  };
  const move = (event) => {
    if (from.current !== null) box.current.style.transform = `translateX(${event.clientX - from.current}px)`;
  };
  const end = (isMeant) => (event) => {
    const moved = from.current === null ? 0 : event.clientX - from.current;
    from.current = null;
    box.current.style.transform = "";
    if (isMeant && moved) onResize(widthNow() + moved);
  };
  const key = (event) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (by) onResize(widthNow() + by);
    else if (event.key === "Delete") onReset();
    else return;
    event.preventDefault();
  };
  return html`<span class="grip" ref=${box} role="separator" tabindex="0" aria-orientation="vertical" aria-label=${t`Ancho de ${title}`} aria-valuemin=${NARROWEST} aria-valuemax=${WIDEST}
    title=${t`Arrastre, o use las flechas; Supr: como al principio`} onPointerDown=${press} onPointerMove=${move} onPointerUp=${end(true)} onPointerCancel=${end(false)} onDblClick=${onReset} onKeyDown=${key}></span>`;
}

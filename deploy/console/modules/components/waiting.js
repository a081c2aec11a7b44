/** Something is being waited for: what, and after a while a way to give it up. */
import { html, useEffect, useState } from "../html.js";
import { t } from "../texts.js";

const LONG_MS = 3000;

/** @param {{children?: any, low?: boolean, onCancel?: () => void}} props `children`: what is waited for */
export function Waiting({ children = t`Cargando…`, low = false, onCancel }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return html`<div class=${`waiting ${low ? "low" : ""}`}><span class="button plain busy" role="status">${children}${isLong && html` <span class="muted">${t`Tarda más que de costumbre.`}</span>`}</span>
    ${isLong && onCancel && html`<button type="button" class="small" onClick=${onCancel}>${t`Cancelar`}</button>`}</div>`;
}

/** A report as HTML, in a frame whose policy lets it run nothing and fetch nothing: `hoja.html` has its own at nginx; wherever it led, it had no origin. */
import { html, useEffect, useRef } from "../../html.js";

/** @param {{text: string, title: string}} props */
export function Sheet({ text, title }) {
  const frame = useRef(null);
  const hand = () => frame.current.contentWindow.postMessage(text, "*"); // its origin is none; its address is ours
  useEffect(() => hand(), [text]);
  return html`<iframe ref=${frame} class="paper sheet" sandbox="allow-scripts" src="hoja.html" title=${title} onLoad=${hand}></iframe>`;
}

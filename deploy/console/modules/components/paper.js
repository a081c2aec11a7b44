/** A PDF beside what it was made from: shown where the browser can, and to be opened or kept in any case. */
import { html, useEffect, useState } from "../html.js";
import { t } from "../texts.js";

/** @param {{file: {blob: Blob, name: string}, title: string, name?: string}} props */
export function Paper({ file, title, name = file.name }) {
  const [address, setAddress] = useState(null);
  useEffect(() => {
    const made = URL.createObjectURL(file.blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  if (!address) return null;
  return html`<div class="stack tight">
    <div class="actions">
      <a class="button" href=${address} target="_blank" rel="noopener">${t`Abrir en otra pestaña`}</a>
      <a class="button" href=${address} download=${name}>${t`Descargar`}</a>
    </div>
    ${navigator.pdfViewerEnabled
      ? html`<iframe class="paper" src=${address} title=${title}></iframe>`
      : html`<p class="muted">${t`Este navegador no muestra documentos PDF dentro de la página.`}</p>`}
  </div>`;
}

import { PageHead } from "../components/page.js";
import { html } from "../html.js";

export function NotFoundPage() {
  return html`<${PageHead} title="Esta página no existe" />
    <p><a href="#/">Volver al inicio</a></p>`;
}

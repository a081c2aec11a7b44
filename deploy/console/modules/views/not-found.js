import { PageHead } from "../components/page.js";
import { html } from "../html.js";
import { t } from "../texts.js";

export function NotFoundPage() {
  return html`<${PageHead} title=${t`Esta página no existe`} />
    <p><a href="#/">${t`Volver al inicio`}</a></p>`;
}

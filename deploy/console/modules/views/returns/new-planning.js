/** From a spreadsheet to a planning: paste, look, save. */
import { readCatalogues } from "../../api/returns.js";
import { Loaded, useLoaded } from "../../components/loading.js";
import { PageHead } from "../../components/page.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { PasteForm } from "./paste-form.js";

export function NewPlanningPage() {
  const catalogues = useLoaded(readCatalogues, []);
  return html`<${PageHead} title=${t`Nueva devolución`} crumbs=${[["#/devoluciones", t`Planificaciones`]]}
      about=${t`Copie en la planilla las columnas de código y cantidad, y péguelas aquí.`} />
    <${Loaded} from=${catalogues} what=${t`Leyendo bodegas y series…`}>${(found) => html`<${PasteForm} catalogues=${found} />`}<//>`;
}

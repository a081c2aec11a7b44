/** The data of a return, to read. */
import { day } from "../../formats.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";
import { answersOf } from "./header-values.js";

const nameOf = (values, key, wanted) => (wanted === null ? null : (values?.find((each) => each[key] === wanted)?.nombre ?? wanted));

const factsOf = (catalogues, header) => [
  [t`Fecha de contabilización`, day(header.fecha)],
  [t`Fecha del documento`, day(header.fechaDocumento)],
  [t`Serie`, nameOf(catalogues?.series, "serie", header.serie) ?? t`La del ERP`],
  [t`Motivo`, nameOf(catalogues?.motivos, "codigo", header.motivo) ?? t`Sin motivo`],
  [t`Tipo de traslado`, nameOf(catalogues?.indTraslado, "codigo", header.indTraslado) ?? header.indTraslado],
  [t`Tipo de despacho`, nameOf(catalogues?.tipoDespacho, "codigo", header.tipoDespacho) ?? t`Sin indicar`],
  ...answersOf(catalogues, header).map(([label, answer]) => [label, answer ?? t`Sin indicar`]),
  [t`Comentario`, header.comentario ?? t`Sin comentario`],
];

export function PlanningHeader({ header, catalogues, onChange }) {
  return html`<section class="panel">
    <header><h2>${t`Datos de la devolución`}</h2>
      ${onChange && html`<button type="button" class="small" disabled=${!catalogues} onClick=${onChange}>${t`Cambiar datos`}</button>`}
    </header>
    <dl class="pairs columns">${factsOf(catalogues, header).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
  </section>`;
}

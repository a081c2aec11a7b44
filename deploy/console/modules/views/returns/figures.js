/** The figures of a planning. */
import { moneyTexts, number, sumTexts } from "../../formats.js";
import { html, useMemo } from "../../html.js";
import { t } from "../../texts.js";
import { figuresOf } from "./sheet.js";

/** @param {{planning: {lineas: any[], documentos: any[]}}} props a planning or the preview of one */
export function Figures({ planning }) {
  const found = useMemo(() => figuresOf(planning), [planning]);
  const figures = [
    [t`Se pide`, sumTexts(found.pedida), ""],
    [t`Vuelve al proveedor`, sumTexts(found.asignada), "ok"],
    [t`Sin stock`, sumTexts(found.sinStock), found.sinStock.length ? "bad" : ""],
    [t`Sin entrada abierta`, sumTexts(found.sinEntrada), found.sinEntrada.length ? "bad" : ""],
    [t`No divisible`, sumTexts(found.noDivisible), found.noDivisible.length ? "warn" : ""],
    [t`Documentos`, [number(found.documentos)], ""],
    [t`Total sin impuestos`, moneyTexts(found.total), ""],
  ];
  return html`<dl class="figures">
    ${figures.map(([name, values, kind]) => html`<div><dt>${name}</dt>${values.map((value) => html`<dd class=${kind}>${value}</dd>`)}</div>`)}
  </dl>`;
}

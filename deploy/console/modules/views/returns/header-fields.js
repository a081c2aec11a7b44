/** The fields of a planning's header. */
import { SelectField, TextArea, TextField } from "../../components/fields.js";
import { html } from "../../html.js";
import { t } from "../../texts.js";

const choices = (values) => values.map(({ codigo, nombre }) => ({ value: codigo, label: `${codigo} · ${nombre}` }));

export function WarehouseField({ catalogues, value, onInput, fault }) {
  const options = catalogues.almacenes
    .filter((each) => !each.inactivo || each.whsCode === value)
    .map(({ whsCode, nombre, ubicaciones }) => ({ value: whsCode, label: `${whsCode} · ${nombre}${ubicaciones ? t` (con ubicaciones)` : ""}` }));
  return html`<${SelectField} label=${t`Bodega`} value=${value} onInput=${onInput} options=${options} empty=${t`Elija una bodega`} needed fault=${fault} />`;
}

/**
 * @param {{header: object, onChange: (name: string, value: string | number | null) => void,
 *   faultOf?: (name: string) => string | null, [name: string]: any}} props
 */
export function HeaderFields({ catalogues, header, onChange, faultOf = () => null }) {
  const series = catalogues.series
    .filter((each) => !each.bloqueada || each.serie === header.serie)
    .map(({ serie, nombre, siguiente }) => ({ value: String(serie), label: `${nombre}${siguiente ? t`, sigue el ${siguiente}` : ""}` }));
  const set = (name) => (value) => onChange(name, value === "" ? null : value);
  return html`<div class="fields">
    <${TextField} label=${t`Fecha de contabilización`} type="date" value=${header.fecha} onInput=${set("fecha")} fault=${faultOf("fecha")} />
    <${TextField} label=${t`Fecha del documento`} type="date" value=${header.fechaDocumento} onInput=${set("fechaDocumento")} fault=${faultOf("fechaDocumento")} />
    <${SelectField} label=${t`Serie`} value=${header.serie === null ? "" : String(header.serie ?? "")} options=${series} empty=${t`La del ERP`}
      onInput=${(value) => onChange("serie", value ? Number(value) : null)} fault=${faultOf("serie")} />
    <${SelectField} label=${t`Motivo`} value=${header.motivo} options=${choices(catalogues.motivos)} empty=${t`Sin motivo`} onInput=${set("motivo")} fault=${faultOf("motivo")} />
    <${SelectField} label=${t`Tipo de traslado`} value=${header.indTraslado} options=${choices(catalogues.indTraslado)} onInput=${set("indTraslado")} fault=${faultOf("indTraslado")} />
    <${SelectField} label=${t`Tipo de despacho`} value=${header.tipoDespacho} options=${choices(catalogues.tipoDespacho)} empty=${t`Sin indicar`} onInput=${set("tipoDespacho")} fault=${faultOf("tipoDespacho")} />
    ${catalogues.camposDevolucion.map((asked) => html`<${AskedField} key=${asked.nombre} asked=${asked} answers=${header.camposDevolucion ?? {}}
      onAnswers=${set("camposDevolucion")} fault=${faultOf(`camposDevolucion.${asked.nombre}`)} />`)}
    <${TextArea} label=${t`Comentario`} wide value=${header.comentario} onInput=${set("comentario")} inputProps=${{ rows: 2, style: { minHeight: "4rem" } }} fault=${faultOf("comentario")} />
  </div>`;
}

const INPUTS = { texto: { type: "text" }, numero: { type: "number", inputProps: { step: "any" } }, fecha: { type: "date" } };

/** A field of the return that this installation asks for; what is emptied has no answer any more. */
function AskedField({ asked, answers, onAnswers, fault }) {
  const { nombre, etiqueta, tipo, obligatorio, valores } = asked;
  const onInput = (value) =>
    onAnswers(Object.fromEntries(Object.entries({ ...answers, [nombre]: value }).filter(([, each]) => each !== "")));
  const field = { label: etiqueta, needed: obligatorio, value: answers[nombre] ?? "", onInput, fault };
  return valores.length > 0
    ? html`<${SelectField} ...${field} options=${choices(valores)} empty=${t`Sin indicar`} />`
    : html`<${TextField} ...${field} ...${INPUTS[tipo]} />`;
}

/** What people call the fields of requests, and the parts of a company's work. Pure. */
import { t } from "./texts.js";

const FIELDS = {
  usuario: t`Usuario`, username: t`Usuario`, clave: t`Contraseña`, password: t`Contraseña`, whsCode: t`Bodega`, cantidad: t`Cantidad`, motivo: t`Motivo`,
  codigo: t`Código`, texto: t`Planilla`, paths: t`Rutas`, webUser: t`Usuario web`, serie: t`Serie`, fecha: t`Fecha`, comentario: t`Comentario`,
  itemCode: t`Artículo`, cardCode: t`Código del socio`, warehouseCode: t`Bodega`, docEntry: t`Número interno`, docNum: t`Número`,
};
const PLACE = /^(?:[A-Za-z]+\.)?(?:[A-Za-z]+\[(\d+)\]\.)?([A-Za-z_]+)$/;

/** A field of a request, which may be called as the ERP calls it; null where nobody has a word for it. */
export const fieldTitle = (name) => FIELDS[name] ?? FIELDS[name[0].toLowerCase() + name.slice(1)] ?? null;

/**
 * Where a refused value stands, such as `lineas[2].itemCode`, in words; null where nobody has any.
 *
 * @param {(path: string) => string | null} [titleAt] what the fields of a record are called
 */
export function placeInWords(path, titleAt) {
  const [, row, name] = PLACE.exec(path) ?? [];
  const title = titleAt?.(path) ?? (name && fieldTitle(name));
  return title ? `${title}${row === undefined ? "" : t`, línea ${Number(row) + 1}`}` : null;
}

/** The first part of the menu routes of each, in the order in which people look for them. */
export const AREAS = { ventas: t`Ventas`, compras: t`Compras`, inventario: t`Inventario`, socios: t`Socios`, bancos: t`Cobros y pagos`, finanzas: t`Finanzas`, borradores: t`Borradores`, reportes: t`Informes del ERP`, "reportes-html": t`Informes` };

export const titleOfArea = (area) => AREAS[area] ?? (area ? area[0].toUpperCase() + area.slice(1).replaceAll("-", " ") : t`Otros`);

/** Areas with the usual parts of a company's work first, then those of its own. */
export const sortedAreas = (areas) => [...Object.keys(AREAS).filter((area) => areas.includes(area)), ...areas.filter((area) => area && !AREAS[area]).sort()];

/** What people call the fields of requests, and the parts of a company's work. Pure. */
const FIELDS = {
  usuario: "Usuario", username: "Usuario", clave: "Contraseña", password: "Contraseña", whsCode: "Bodega", cantidad: "Cantidad", motivo: "Motivo",
  codigo: "Código", texto: "Planilla", paths: "Rutas", webUser: "Usuario web", serie: "Serie", fecha: "Fecha", comentario: "Comentario",
  itemCode: "Artículo", cardCode: "Código del socio", warehouseCode: "Bodega", docEntry: "Número interno", docNum: "Número",
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
  return title ? `${title}${row === undefined ? "" : `, línea ${Number(row) + 1}`}` : null;
}

/** The first part of the menu routes of each, in the order in which people look for them. */
export const AREAS = { ventas: "Ventas", compras: "Compras", inventario: "Inventario", socios: "Socios", bancos: "Cobros y pagos", finanzas: "Finanzas", borradores: "Borradores", reportes: "Informes del ERP", "reportes-html": "Informes" };

export const titleOfArea = (area) => AREAS[area] ?? (area ? area[0].toUpperCase() + area.slice(1).replaceAll("-", " ") : "Otros");

/** Areas with the usual parts of a company's work first, then those of its own. */
export const sortedAreas = (areas) => [...Object.keys(AREAS).filter((area) => areas.includes(area)), ...areas.filter((area) => area && !AREAS[area]).sort()];

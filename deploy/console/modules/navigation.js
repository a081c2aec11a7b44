/** What the navigation shows, and the search for pages. */
const FOR_SUPERUSERS = "superusers"; // of the ERP

const NAVIGATION = [
  { title: "General", entries: [["/", "Inicio"]] },
  {
    title: "ERP",
    door: "gateway",
    entries: [
      ["/erp", "Registros"],
      ["/erp/Orders", "Pedidos de venta"],
      ["/informes", "Informes y consultas"],
      ["/trabajos", "Trabajos"],
      ["/escrituras", "Escrituras"],
    ],
  },
  {
    title: "Devoluciones",
    door: "returns",
    entries: [
      ["/devoluciones", "Planificaciones"],
      ["/devoluciones/nueva", "Nueva devolución"],
      ["/devoluciones/preparacion", "Preparación del ERP", FOR_SUPERUSERS],
    ],
  },
  {
    title: "Administración",
    door: "gateway",
    forAdministrators: true,
    entries: [
      ["/sistema", "Estado del sistema"],
      ["/permisos", "Permisos"],
      ["/sesiones", "Sesiones"],
      ["/auditoria", "Auditoría"],
    ],
  },
];

/**
 * What is of use to whoever is signed in; what they may do is for the services to say.
 *
 * @param {{user?: any}} gateway the session there
 * @param {{user?: any}} returns
 */
export function navigationOf(gateway, returns) {
  const groups = NAVIGATION.filter((group) => !group.forAdministrators || gateway.user?.isAdmin === true);
  const isUseful = ([, , whom]) => whom !== FOR_SUPERUSERS || returns.user?.superusuario !== false;
  return groups.map((group) => ({ ...group, entries: group.entries.filter(isUseful) }));
}

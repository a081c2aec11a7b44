/** What the navigation and the first page show. */
export const NAVIGATION = [
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
      ["/devoluciones/preparacion", "Preparación del ERP"],
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

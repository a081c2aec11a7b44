/** What the navigation shows, and the search for pages. */
import { t } from "./texts.js";

const FOR_SUPERUSERS = "superusers"; // of the ERP

const NAVIGATION = [
  { title: t`General`, entries: [["/", t`Inicio`]] },
  {
    title: "ERP",
    door: "gateway",
    entries: [
      ["/erp", t`Registros`],
      ["/informes", t`Informes y consultas`],
      ["/trabajos", t`Trabajos`],
      ["/escrituras", t`Operaciones`],
    ],
  },
  {
    title: t`Devoluciones`,
    door: "returns",
    entries: [
      ["/devoluciones", t`Planificaciones`],
      ["/devoluciones/nueva", t`Nueva devolución`],
      ["/devoluciones/preparacion", t`Preparación del ERP`, FOR_SUPERUSERS],
    ],
  },
  {
    title: t`Administración`,
    door: "gateway",
    forAdministrators: true,
    entries: [
      ["/sistema", t`Estado del sistema`],
      ["/permisos", t`Permisos`],
      ["/sesiones", t`Sesiones`],
      ["/auditoria", t`Auditoría`],
    ],
  },
];

/**
 * What is of use to whoever is signed in; what they may do is for the services to say.
 *
 * @param {{user?: any}} gateway the session there
 * @param {{user?: any}} returns
 * @param {{path: string, title: string}[]} favourites of the person at the gateway
 */
export function navigationOf(gateway, returns, favourites = []) {
  const groups = NAVIGATION.filter((group) => !group.forAdministrators || gateway.user?.isAdmin === true);
  const isUseful = ([, , whom]) => whom !== FOR_SUPERUSERS || returns.user?.superusuario !== false;
  const shown = groups.map((group) => ({ ...group, entries: group.entries.filter(isUseful) }));
  const own = { title: t`Favoritos`, door: "gateway", entries: favourites.map(({ path, title }) => [path, title]) };
  return favourites.length ? shown.toSpliced(1, 0, own) : shown;
}

/** Loading a part of the console that comes when it is needed. */
import { Problem } from "./api/problem.js";
import { reload } from "./forms/unsaved.js";
import { lookForNewVersion } from "./new-version.js";
import { ROOT } from "./root.js";
import { t } from "./texts.js";

/** Whether the server answers now; the browser's own word for it (`navigator.onLine`) is about its network cards. */
const isServerReached = () => fetch(`${ROOT}consola/`, { method: "HEAD", cache: "no-store" }).then(({ ok }) => ok, () => false);

/**
 * @param {() => Promise<any>} load imports it
 * @param {{isAgain?: boolean}} [options] after a failure. Some browsers remember that a module failed: where the server answers, they need the whole page anew
 * @throws {Problem} it could not be loaded
 */
export async function loadPart(load, { isAgain = false } = {}) {
  try {
    return await load();
  } catch {
    const isReached = await isServerReached(); // why it failed stands in the browser's own messages
    if (isReached && isAgain) reload();
    if (isReached && (await lookForNewVersion())) {
      throw new Problem({ code: "new_version", detail: t`Hay una versión nueva de la consola, y esta parte ya es de ella. Actualice la página: lo que estaba escribiendo se conserva.` });
    }
    const detail = isReached
      ? t`Esta parte de la consola no se pudo cargar. No se cambió nada: intente de nuevo.`
      : t`No hay conexión con el servidor, y esta parte de la consola todavía no se había cargado. No se cambió nada: compruebe la red e intente de nuevo.`;
    throw new Problem({ code: "page_not_loaded", detail });
  }
}

/**
 * One request to one of the services.
 *
 * A 401 means that nothing was done: the person signs in again in a dialog, over the page with what was typed
 * on it, or did so in another tab meanwhile, and the request goes out once more. Nothing else is ever repeated here.
 */
import { Problem, problemFrom, received } from "./problem.js";
import { t } from "../texts.js";

/**
 * @typedef {object} Service
 * @property {string} base prefix of its paths
 * @property {() => Record<string, string>} credentials headers that say who asks
 * @property {() => string} person who that is
 * @property {(problem: Problem) => Promise<void>} signInAgain settles when somebody has signed in
 */

/**
 * @typedef {object} Sending
 * @property {unknown} [body] sent as JSON, or a form of files as it is
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 * @property {boolean} [mayAsk] whether the person may be asked to sign in again
 * @property {boolean} [isWrite] whether something may be done although no answer comes; a query may be a POST
 */

/**
 * @param {Service} service
 * @param {string} method
 * @param {string} path
 * @param {Sending} [options]
 * @returns {Promise<Response>} an answer below 400
 */
export async function send(service, method, path, { body, headers = {}, signal, mayAsk = true, isWrite = method !== "GET" } = {}) {
  const as = { person: service.person(), credentials: service.credentials() };
  const response = await transmit(service, method, path, body, { ...as.credentials, ...headers }, signal, isWrite);
  if (response.ok) return response;
  const problem = await problemFrom(response);
  if (response.status !== 401 || !mayAsk) throw problem;
  if (service.person() !== as.person) throw problem;
  const isRenewed = service.credentials().Authorization !== as.credentials.Authorization;
  if (!isRenewed) await service.signInAgain(problem);
  return send(service, method, path, { body, headers, signal, mayAsk: false, isWrite });
}

async function transmit(service, method, path, body, headers, signal, isWrite) {
  const sent = { Accept: "application/json", ...headers };
  const isForm = body instanceof FormData; // whose boundary the browser writes
  if (body !== undefined && !isForm) sent["Content-Type"] = "application/json";
  try {
    return await fetch(`${service.base}${path}`, {
      method,
      headers: sent,
      body: body === undefined || isForm ? body : JSON.stringify(body),
      signal,
      cache: "no-store",
      credentials: "same-origin",
      redirect: "error",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({
      code: "no_connection",
      detail: isWrite
        ? t`No hubo respuesta del servidor. Compruebe si el cambio quedó hecho antes de repetirlo.`
        : t`No hay conexión con el servidor. No se cambió nada: compruebe la red e intente de nuevo.`,
    });
  }
}

/**
 * @param {Service} service
 * @param {string} method
 * @param {string} path
 * @param {Sending} [options]
 * @returns {Promise<any>}
 */
export async function sendForJson(service, method, path, { isWrite = method !== "GET", ...options } = {}) {
  const response = await send(service, method, path, { ...options, isWrite });
  return response.status === 204 ? null : readJson(response, isWrite);
}

/** What an answer says. */
export function readJson(response, isWrite) {
  const whatNow = isWrite ? t`Compruebe si el cambio quedó hecho antes de repetirlo.` : t`No se cambió nada: inténtelo de nuevo.`;
  return received(response.json(), "no_connection", t`La respuesta no llegó completa. ${whatNow}`);
}

/**
 * Files are made of what is there: asking for one changes nothing.
 *
 * @param {Service} service
 * @param {string} method
 * @param {string} path
 * @param {Sending} [options]
 * @returns {Promise<{blob: Blob, name: string, headers: Headers}>}
 */
export async function sendForFile(service, method, path, options) {
  const response = await send(service, method, path, { ...options, isWrite: false, headers: { ...options?.headers, Accept: "*/*" } });
  const blob = await received(response.blob(), "no_connection", t`El archivo no llegó completo. No se cambió nada: inténtelo de nuevo.`);
  return { blob, name: fileName(response.headers), headers: response.headers };
}

function fileName(headers) {
  const told = headers.get("Content-Disposition") ?? "";
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(told)?.[1];
  if (encoded) return decodeURIComponent(encoded);
  return /filename="([^"]+)"/i.exec(told)?.[1] ?? "documento.pdf";
}

/** Write one path segment, and a query without what is empty. */
export const segment = encodeURIComponent;

export function withQuery(path, query) {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const search = pairs.map(([name, value]) => `${encodeURIComponent(name).replace("%24", "$")}=${encodeURIComponent(value)}`);
  return search.length ? `${path}?${search.join("&")}` : path;
}

/** A refusal or a failure, as both services tell it (RFC 9457), or as the browser does when nobody answers. */
import { t } from "../texts.js";

export class Problem extends Error {
  constructor({ status = 0, code = "unknown", detail = "", errors = [], requestId = "", upstream = null, body = {}, retryAfter = null }) {
    super(detail);
    this.name = "Problem";
    this.status = status;
    this.code = code;
    this.detail = detail;
    /** @type {{path: string, message: string}[]} */
    this.errors = errors;
    this.requestId = requestId;
    this.upstream = upstream;
    this.body = body;
    this.retryAfter = retryAfter;
    /** @type {Set<string>} what a field of the form has told */
    this.placed = new Set();
  }

  /** The message for one field of a form, if the service named it: it is told there and nowhere else. */
  of(path) {
    const message = this.errors.find((each) => each.path === path)?.message ?? null;
    if (message !== null) this.placed.add(path);
    return message;
  }

  /** What is wrong with no field that the page has. */
  get unplaced() {
    return this.errors.filter((each) => each.message && !this.placed.has(each.path));
  }
}

export async function problemFrom(response) {
  let body = {};
  try {
    body = await response.json();
  } catch {
    // no JSON: what stands in front of the services answered
  }
  return new Problem({
    status: response.status,
    code: body.code ?? "unknown",
    detail: body.detail ?? body.message ?? t`El servidor respondió ${response.status} sin explicación.`,
    errors: body.errors ?? [],
    requestId: body.requestId ?? response.headers.get("X-Request-ID") ?? "",
    upstream: body.upstream ?? null,
    body,
    retryAfter: response.headers.get("Retry-After"),
  });
}

/** What is read of an answer, or a problem where the line broke in the middle of it. */
export async function received(reading, code, detail) {
  try {
    return await reading;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ code, detail });
  }
}

/** What a view shows for anything that was thrown at it. */
export function asProblem(error) {
  if (error instanceof Problem) return error;
  console.error(error);
  return new Problem({ code: "console_fault", detail: t`La consola falló al mostrar esta página. Vuelva a cargarla.` });
}

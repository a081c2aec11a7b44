import createClient from "openapi-fetch";
import type { components, paths } from "./supplier-returns.d.ts";

type Problem = components["schemas"]["Problem"];
type Planning = components["schemas"]["DetailShape"];

// Behind nginx the service has the prefix `/devoluciones`; on an origin of its own it has none.
// The browser keeps the session cookie, and scripts can't read it.
const returns = createClient<paths>({ baseUrl: `${location.origin}/devoluciones`, credentials: "same-origin" });

/** Returns the body, or throws the problem's message. */
function valueOf<Value>(answer: { data?: Value; error?: Problem }): Value {
  if (answer.data === undefined) throw new Error(answer.error?.message ?? "El servicio no respondió.");
  return answer.data;
}

export async function signIn(usuario: string, clave: string): Promise<string> {
  return valueOf(await returns.POST("/api/auth/login", { body: { usuario, clave } })).empresa;
}

export async function openPlannings(whsCode: string) {
  const query = { status: "O", whsCode, pagina: 1, tamano: 50 } as const;
  return valueOf(await returns.GET("/api/planificaciones", { params: { query } })).datos;
}

/** Creates the returns. `version` is the version of the planning that the person saw. */
export async function execute({ id, version }: Planning): Promise<Planning> {
  const answer = await returns.POST("/api/planificaciones/{id}/devoluciones", {
    params: { path: { id } },
    body: { version },
  });
  if (answer.error?.code === "stale_version") {
    return valueOf(await returns.GET("/api/planificaciones/{id}", { params: { path: { id } } }));
  }
  const made = valueOf(answer);
  if (typeof made === "string") throw new Error("The service sends events only if the request accepts them.");
  return made;
}

export async function signOut(): Promise<void> {
  const { error } = await returns.POST("/api/auth/logout");
  if (error) throw new Error(error.message);
}

export function mistakesThatAreSeen() {
  // @ts-expect-error a planning has a number
  void returns.GET("/api/planificaciones/{id}", { params: { path: { id: "12" } } });
  // @ts-expect-error no such state
  void returns.GET("/api/planificaciones", { params: { query: { status: "abierta" } } });
}

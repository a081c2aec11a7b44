import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./erp-gateway.d.ts";

type Problem = components["schemas"]["Problem"];

/** An error of the API: branch on `code`, show `message` (Spanish) to people. */
class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

let token: string | undefined;

const bearer: Middleware = {
  onRequest({ request }) {
    if (token !== undefined) request.headers.set("Authorization", `Bearer ${token}`);
    return request;
  },
};

// Paths in the document begin with `/api`, so the base URL is the origin.
// Lists and reports can also be files; these calls read JSON, and errors are problem documents.
const gateway = createClient<paths, "application/json" | "application/problem+json">({ baseUrl: location.origin });
gateway.use(bearer);

export async function signIn(username: string, password: string): Promise<string> {
  const { data, error } = await gateway.POST("/api/auth/login", { body: { username, password } });
  if (error) throw new Refused(error);
  token = data.token;
  return data.user.fullName;
}

export async function openOrders(customer: string) {
  const quoted = customer.replaceAll("'", "''");
  const { data, error } = await gateway.GET("/api/sl/{resource}", {
    params: {
      path: { resource: "Orders" },
      query: { $select: "DocEntry,DocNum,DocTotal", $filter: `CardCode eq '${quoted}'`, $top: 50 },
    },
  });
  if (error) throw new Refused(error);
  // The document does not know the ERP's fields, so each one is `unknown`.
  return data.value.map((order) => ({ entry: Number(order["DocEntry"]), total: Number(order["DocTotal"]) }));
}

/** One operation that a person starts. Create its key once and keep it for every attempt. */
export interface Change {
  readonly key: string;
  readonly tag: string;
  readonly comments: string;
}

export async function readOrder(entry: number): Promise<{ comments: string; tag: string }> {
  const { data, error } = await gateway.GET("/api/sl/{resource}/{key}", {
    params: { path: { resource: "Orders", key: String(entry) } },
  });
  if (error) throw new Refused(error);
  return { comments: String(data["Comments"] ?? ""), tag: String(data["odata.etag"]) };
}

/** Returns `changed` if somebody else changed the order first: read it again and show both versions. */
export async function changeOrder(entry: number, change: Change): Promise<"done" | "changed"> {
  const { error, response } = await gateway.PATCH("/api/sl/{resource}/{key}", {
    params: {
      path: { resource: "Orders", key: String(entry) },
      header: { "If-Match": change.tag, "Idempotency-Key": change.key },
    },
    body: { Comments: change.comments },
  });
  if (error === undefined) return "done";
  if (response.status === 412 && error.code === "stale_etag") return "changed";
  throw new Refused(error);
}

/** Returns the message for each invalid field, by its path. */
export function fieldsOf(refused: Refused): Map<string, string> {
  return new Map((refused.problem.errors ?? []).map((each) => [each.path, each.message]));
}

export async function reportAsPdf(code: string, values: Record<string, unknown>): Promise<Blob> {
  const { data, error } = await gateway.POST("/api/html-reports/{code}/pdf", {
    params: { path: { code } },
    body: { values },
    parseAs: "blob",
  });
  if (error) throw new Refused(error);
  return data;
}

export function mistakesThatAreSeen() {
  // @ts-expect-error no such route
  void gateway.GET("/api/orders");
  // @ts-expect-error a page is a number of records
  void gateway.GET("/api/sl/{resource}", { params: { path: { resource: "Orders" }, query: { $top: "50" } } });
  // @ts-expect-error the password is missing
  void gateway.POST("/api/auth/login", { body: { username: "ana" } });
}

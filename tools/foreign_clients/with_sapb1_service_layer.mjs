// Calls of `sapb1-service-layer`. It checks no certificate, and gives refusals as results.
import client from "sapb1-service-layer";
import { attempt, demand } from "./attempts.mjs";

const { ERP_PORT, ERP_VERSION, ERP_USER, ERP_PASSWORD, ERP_COMPANY } = process.env;
const ORDER = { CardCode: "C00001", DocDueDate: "2026-01-01", DocumentLines: [{ ItemCode: "CEM-0001", Quantity: 1 }] };

async function demanded(answer) {
  const result = await answer;
  demand(result?.error === undefined, result);
  return result;
}

await attempt("login", () =>
  client.createSession({
    host: "https://localhost",
    port: ERP_PORT,
    version: ERP_VERSION,
    company: ERP_COMPANY,
    username: ERP_USER,
    password: ERP_PASSWORD,
  }),
);
await attempt("list", () => demanded(client.get("Items?$top=2&$select=ItemCode")));
await attempt("list by condition", () => demanded(client.find("Items?$filter=startswith(ItemCode,'C')")));
await attempt("page size", async () => {
  const page = await client.find("Items?$select=ItemCode", { headers: { "B1S-PageSize": 3 } });
  demand(page.value.length === 3, page.value.length);
});
await attempt("record by key", () => demanded(client.get("BusinessPartners('C00001')")));
const order = await attempt("create document", () => demanded(client.post("Orders", ORDER)));
await attempt("change document", () => demanded(client.patch(`Orders(${order.DocEntry})`, { Comments: "changed" })));
await attempt("action", () => demanded(client.post(`Orders(${order.DocEntry})/Cancel`)));
await attempt("create record", () => demanded(client.post("Warehouses", { WarehouseCode: "N1", WarehouseName: "one" })));
await attempt("replace record", () => demanded(client.put("Warehouses('N1')", { WarehouseName: "other" })));
await attempt("delete record", () => demanded(client.delete("Warehouses('N1')")));
await attempt("refusal", async () => {
  const refused = await client.get("Items('NONE')");
  demand(String(refused.message?.error?.code) === "-2028", refused);
});
await attempt("logout", () => demanded(client.post("Logout")));

// Calls of a client that SAP's Cloud SDK has made of the ERP's own description; it checks the certificate.
import { createRequire } from "node:module";
import { asc } from "@sap-cloud-sdk/odata-v4";
import { attempt, demand } from "./attempts.mjs";

const require = createRequire(import.meta.url);
const moment = require("moment");
const { b1 } = require("./generated/b1");

const { ERP_PORT, ERP_USER, ERP_PASSWORD, ERP_COMPANY } = process.env;
const url = `https://localhost:${ERP_PORT}/b1s/v2`;
const { itemsApi, ordersApi, businessPartnersApi, warehousesApi, batch, changeset } = b1();
let cookies = {};

function run(request) {
  return request.addCustomHeaders(cookies).execute({ url, authentication: "NoAuthentication" });
}

function house(code) {
  return warehousesApi.entityBuilder().warehouseCode(code).warehouseName("one").build();
}

function codes() {
  return itemsApi.requestBuilder().getAll().select(itemsApi.schema.ITEM_CODE);
}

async function demandAll(request) {
  const parts = await run(request);
  demand(parts.length > 0 && parts.every((part) => part.isSuccess()), parts);
  return parts;
}

await attempt("login (by fetch)", async () => {
  const body = JSON.stringify({ CompanyDB: ERP_COMPANY, UserName: ERP_USER, Password: ERP_PASSWORD });
  const { SessionId } = await (await fetch(`${url}/Login`, { method: "POST", body })).json();
  cookies = { Cookie: `B1SESSION=${SessionId}; ROUTEID=.node1` };
});
await attempt("list", () => run(codes().top(3)));
await attempt("list by condition", () => {
  const { ITEM_CODE } = itemsApi.schema;
  return run(codes().filter(ITEM_CODE.greaterThan("M")).orderBy(asc(ITEM_CODE)));
});
await attempt("list by date", () => {
  const { DOC_ENTRY, DOC_DATE } = ordersApi.schema;
  return run(ordersApi.requestBuilder().getAll().select(DOC_ENTRY).filter(DOC_DATE.greaterThan(moment("2025-12-01"))));
});
await attempt("count", () => run(itemsApi.requestBuilder().getAll().count()));
await attempt("record by key", () => run(businessPartnersApi.requestBuilder().getByKey("C00001")));
await attempt("document with its lines", async () => {
  const order = await run(ordersApi.requestBuilder().getByKey(1));
  demand(order.documentLines.length > 0, order);
});
const made = await attempt("create record", () => run(warehousesApi.requestBuilder().create(house("K1"))));
await attempt("change record", () => {
  made.warehouseName = "other";
  return run(warehousesApi.requestBuilder().update(made));
});
await attempt("delete record", () => run(warehousesApi.requestBuilder().delete("K1")));
for (const path of ["absolute", "relativeToService", "relativeToEntity"]) {
  const read = () => batch(codes().top(1), businessPartnersApi.requestBuilder().getByKey("C00001"));
  await attempt(`$batch, addresses ${path}`, () => demandAll(read().withSubRequestPathType(path)));
}
await attempt("$batch with a change set", async () => {
  const houses = () => warehousesApi.requestBuilder();
  await demandAll(batch(changeset(houses().create(house("K2")), houses().create(house("K3")))));
  await demandAll(batch(changeset(houses().delete("K2"), houses().delete("K3"))));
});

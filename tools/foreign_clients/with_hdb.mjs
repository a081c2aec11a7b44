// Calls of SAP's `hdb` for Node; it checks the certificate.
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import hdb from "hdb";
import { attempt, demand } from "./attempts.mjs";

const { HANA_PORT, HANA_USER, HANA_PASSWORD, CA_FILE, QUERIES } = process.env;
const client = hdb.createClient({
  host: "localhost",
  port: Number(HANA_PORT),
  user: HANA_USER,
  password: HANA_PASSWORD,
  useTLS: true,
  ca: [readFileSync(CA_FILE)],
});
const run = promisify(client.exec).bind(client);

async function ask(sql, values) {
  const statement = await promisify(client.prepare).call(client, sql);
  try {
    return await promisify(statement.exec).call(statement, values);
  } finally {
    await promisify(statement.drop).call(statement);
  }
}

async function fetchAll(sql) {
  const result = await promisify(client.execute).call(client, sql);
  const rows = await promisify(result.fetch).call(result);
  await promisify(result.close).call(result);
  return rows;
}

await attempt("connect", () => promisify(client.connect).call(client));
await attempt("current schema", () => run("SET SCHEMA SBO_DEMO"));
await attempt("isolation level", () => run("SELECT CURRENT_TRANSACTION_ISOLATION_LEVEL FROM DUMMY"));
await attempt("tables", () => run("SELECT TABLE_NAME FROM SYS.TABLES WHERE SCHEMA_NAME = 'SBO_DEMO'"));
await attempt("query in FROM without a name", () => run('SELECT COUNT(*) FROM (SELECT "ItemCode" FROM OITM)'));
await attempt("rows in blocks", async () => {
  const rows = await fetchAll("SELECT A.N FROM SAMPLE.NUMBERS A, SAMPLE.NUMBERS B WHERE B.N < 9");
  demand(rows.length > 5000, rows.length);
});
await attempt("change and rollback", async () => {
  client.setAutoCommit(false);
  demand((await run("INSERT INTO SAMPLE.NUMBERS (N) VALUES (-8)")) === 1);
  await promisify(client.rollback).call(client);
  client.setAutoCommit(true);
  demand((await run("SELECT N FROM SAMPLE.NUMBERS WHERE N = -8")).length === 0);
});
await attempt("refusal", async () => {
  const refused = await run("SELECT NONE FROM DUMMY").catch((error) => error);
  demand(refused.code === 260, refused.message);
});
for (const { name, marked, list, rows } of JSON.parse(readFileSync(QUERIES, "utf-8"))) {
  await attempt(`demo: ${name}`, async () => {
    // The client wants the time of a moment, too.
    const values = list.map((value) => String(value).replace(/^\d{4}-\d\d-\d\d$/, "$&T00:00:00"));
    const found = list.length === 0 ? await run(marked) : await ask(marked, values);
    demand(found.length === rows, found.length);
  });
}
await attempt("disconnect", () => promisify(client.disconnect).call(client));

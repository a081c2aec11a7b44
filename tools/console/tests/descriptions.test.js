import assert from "node:assert/strict";
import { test } from "node:test";

import { describedBy } from "../../../deploy/console/modules/api/descriptions.js";

const field = (name, title = null) => ({ name, title, type: "text", choices: [] });

test("fields without a Spanish name are not named, unless the company added them", () => {
  const described = describedBy({
    complete: true,
    fields: [field("DocNum", "Número"), field("BPChannelCode"), field("U_CANAL")],
    collections: [{ name: "DocumentLines", title: "Líneas", fields: [field("LineNum", "Línea"), field("COGSAccountCode")] }, { name: "CCDNumbers", title: null, fields: [field("RowNum")] }, { name: "LIB_DETCollection", title: null, fields: [field("U_Nota")] }],
  });
  assert.deepEqual(["DocNum", "BPChannelCode", "U_CANAL", "Unknown"].map(described.isNamed), [true, false, true, false]);
  assert.deepEqual(["LineNum", "COGSAccountCode"].map(described.of("DocumentLines").isNamed), [true, false]);
  assert.deepEqual(["DocumentLines", "CCDNumbers", "LIB_DETCollection"].map(described.isCollectionNamed), [true, false, true]);
});

test("where nobody has named anything all of it is shown", () => {
  const { isNamed } = describedBy({ complete: true, fields: [field("Code"), field("Name")] });
  assert.deepEqual(["Code", "Name"].map(isNamed), [true, true]);
});

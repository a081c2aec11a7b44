import assert from "node:assert/strict";
import { test } from "node:test";

import { Problem } from "../../../deploy/console/modules/api/problem.js";

test("what a field tells is told nowhere else", () => {
  const problem = new Problem({ errors: [{ path: "key", message: "No sirve." }, { path: "other", message: "Falta." }, { path: "empty", message: "" }] });
  assert.deepEqual(problem.unplaced.map(({ path }) => path), ["key", "other"]);
  assert.equal(problem.of("key"), "No sirve.");
  assert.equal(problem.of("unknown"), null);
  assert.deepEqual(problem.unplaced.map(({ path }) => path), ["other"]);
});

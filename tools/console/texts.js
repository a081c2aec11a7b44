/**
 * Hold `deploy/console/texts/es.json`, from which another language begins, to what the modules say in `t`; `--write` writes it anew.
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { parse } from "espree";
import { KEYS } from "eslint-visitor-keys";
import { keyOf } from "../../deploy/console/modules/texts.js";

const MODULES = "deploy/console/modules";
const CATALOGUE = "deploy/console/texts/es.json";

function* textsIn(node) {
  if (node.type === "TaggedTemplateExpression" && node.tag.name === "t") {
    yield keyOf(node.quasi.quasis.map(({ value }) => value.cooked));
  }
  for (const key of KEYS[node.type]) for (const child of [node[key]].flat()) if (child) yield* textsIn(child);
}

const paths = readdirSync(MODULES, { recursive: true }).map(String).filter((path) => path.endsWith(".js"));
const options = /** @type {const} */ ({ ecmaVersion: "latest", sourceType: "module" });
const texts = paths.flatMap((path) => [...textsIn(parse(readFileSync(`${MODULES}/${path}`, "utf8"), options))]);
const written = `${JSON.stringify(Object.fromEntries([...new Set(texts)].sort().map((text) => [text, text])), null, 2)}\n`;
if (process.argv.includes("--write")) writeFileSync(CATALOGUE, written);
else if (readFileSync(CATALOGUE, "utf8") !== written) {
  console.error(`${CATALOGUE} is not what the modules say: make console-check WRITE=1`);
  process.exitCode = 1;
}

/**
 * Write the parts of d3-scale and d3-shape that the console uses as one module: `node vendor.js TARGET`.
 *
 * The packages import each other by bare names, which a browser does not find without a build.
 */
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";

const [target] = process.argv.slice(2);
const contents = `export { scaleBand, scaleLinear, scalePoint } from "d3-scale";\nexport { line } from "d3-shape";\n`;
const { outputFiles, metafile } = await build({ stdin: { contents, resolveDir: import.meta.dirname }, bundle: true, format: "esm", target: "es2022", treeShaking: true, write: false, metafile: true, logLevel: "warning" });
const packages = [...new Set(Object.keys(metafile.inputs).map((path) => /node_modules\/([^/]+)\//.exec(path)?.[1]).filter(Boolean))].sort();
const versionOf = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), "utf8")).version;
const head = `// ${packages.map((name) => `${name} ${versionOf(name)}`).join(", ")}: ISC, LICENSE-d3.txt. Written by tools/console/vendor.js.\n`;
writeFileSync(target, head + outputFiles[0].text.replace(/^\/\/ .*node_modules\/(.*)$/gm, "// $1"));

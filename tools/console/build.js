/**
 * Build the console for releases: `node build.js SOURCES TARGET`, with the folder of the sources and an empty folder to write to.
 *
 * Few requests matter more than few bytes on a line with high latency. So there is one file for everything that more than one
 * part needs (`core`), and one file for each part of the console that opens later. esbuild alone would make a chunk for each set
 * of pages that shares a module, about sixty.
 */
import { build, transform } from "esbuild";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { basename, dirname, join, relative, resolve } from "node:path";

const [sources, target] = process.argv.slice(2).map((path) => resolve(path));
const ASSETS = "assets";
const PART = /modules\/views\/(\w+)\//; // a folder of pages becomes one file
const ALONE = /modules\/components\/(palette|chart)\.js$/; // by itself, for the pages that show one
const UNCHANGED = ["hoja.html", "hoja.js"];
const TARGET = "es2022"; // like the sources: no syntax is replaced
const QUIET = /** @type {const} */ ({ bundle: true, format: "esm", minify: true, target: TARGET, splitting: true, write: false, metafile: true, logLevel: "warning", outdir: target, absWorkingDir: sources });

/** The part that a module belongs to when it is imported later; null where it is a part of the core. */
const partOf = (path) => PART.exec(path)?.[1] ?? ALONE.exec(path)?.[1] ?? null;

const read = (path) => readFileSync(join(sources, path), "utf8");
const modules = () => readdirSync(join(sources, "modules"), { recursive: true }).map((path) => `modules/${path}`).filter((path) => path.endsWith(".js"));

/** Every module that is imported later, by the part that it belongs to. @returns {Map<string, string[]>} */
function findParts() {
  const parts = new Map();
  for (const path of modules()) {
    for (const [, specifier] of read(path).matchAll(/=> import\("([^"]+)"\)/g)) {
      const found = join(dirname(path), specifier);
      const part = partOf(found);
      if (part === null) throw new Error(`${found} is imported later, but belongs to no part`);
      parts.set(part, [...new Set([...(parts.get(part) ?? []), found])].sort());
    }
  }
  return parts;
}

/**
 * Serve `core` and each part as modules that import the others, and lead each later import to its part.
 *
 * @param {Map<string, string[]>} parts
 * @param {string[]} shared modules that several parts need
 */
const grouping = (parts, shared) => ({
  name: "grouping",
  setup({ onResolve, onLoad }) {
    const contents = {
      core: ["modules/main.js", ...shared].map((path) => `import "./${path}";`).join("\n"),
      ...Object.fromEntries([...parts].map(([part, paths]) => [part, [`import "core";`, ...paths.map((path) => `export * from "./${path}";`)].join("\n")])),
    };
    onResolve({ filter: /^core$/ }, ({ path }) => ({ path, namespace: "grouped" }));
    onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined;
      return { path: partOf(relative(sources, join(resolveDir, path))) ?? path, namespace: "grouped" };
    });
    onLoad({ filter: /.*/, namespace: "grouped" }, ({ path }) => ({ contents: contents[path], resolveDir: sources }));
  },
});

/** Modules that more than one part reaches, which would be chunks of their own. */
async function findShared(parts) {
  const { metafile } = await build({ ...QUIET, entryPoints: ["modules/main.js"], plugins: [grouping(parts, [])] });
  const reachedBy = new Map();
  const reach = (path, part) => {
    const seen = reachedBy.get(path) ?? reachedBy.set(path, new Set()).get(path);
    if (seen.has(part)) return;
    seen.add(part);
    for (const each of metafile.inputs[path].imports) if (each.kind === "import-statement") reach(each.path, part);
  };
  for (const [part, paths] of parts) for (const path of paths) reach(path, part);
  return [...reachedBy].filter(([, by]) => by.size > 1).map(([path]) => path).filter((path) => path !== "grouped:core").sort();
}

const hashOf = (bytes) => createHash("sha256").update(bytes).digest("base64url").replace(/[-_]/g, "").slice(0, 10);

function writeAsset(name, bytes) {
  const [, stem, ending] = /^(.*)\.(\w+)$/.exec(name);
  const path = `${ASSETS}/${stem}-${hashOf(bytes)}.${ending}`;
  writeFileSync(join(target, path), bytes);
  return path;
}

/** esbuild calls the core, its only shared chunk, `chunk`. */
const coreNamed = (text) => text.replace(/\bchunk-(?=\w{8}\.js)/g, "core-");

/** The scripts: the path of the core, and those of the parts by their names. */
async function buildScripts() {
  const parts = findParts();
  const shared = await findShared(parts);
  const { outputFiles, metafile } = await build({ ...QUIET, entryPoints: [{ in: "core", out: "core" }], plugins: [grouping(parts, shared)], entryNames: `${ASSETS}/[name]-[hash]`, chunkNames: `${ASSETS}/[name]-[hash]` });
  const found = {};
  for (const { path, contents } of outputFiles) {
    const name = coreNamed(relative(target, path));
    const { inputs, entryPoint } = metafile.outputs[relative(sources, path)];
    if (entryPoint === "grouped:core") continue; // it only imports the core
    const part = "modules/main.js" in inputs ? "core" : entryPoint?.match(/^grouped:(\w+)$/)?.[1];
    if (!part) throw new Error(`${name} is a chunk of its own: ${Object.keys(inputs)}`);
    found[part] = name;
    writeFileSync(join(target, name), coreNamed(Buffer.from(contents).toString("utf8")));
  }
  return found;
}

/** All style sheets as one, with the media that the page gives them. */
async function buildStyles(page) {
  const links = [...page.matchAll(/<link rel="stylesheet" href="([^"]+)"(?: media="(\w+)")?>/g)];
  const contents = links.map(([, href, media]) => `@import "./${href}"${media ? ` ${media}` : ""};`).join("\n");
  const { outputFiles } = await build({ stdin: { contents, loader: "css", resolveDir: sources }, bundle: true, minify: true, target: TARGET, write: false, logLevel: "warning" });
  return writeAsset("console.css", outputFiles[0].contents);
}

/** Which part the first word of an address needs, so that it is fetched beside the core. */
async function firstWords() {
  const words = {};
  const routes = read("modules/routes.js");
  const later = Object.fromEntries([...routes.matchAll(/^const (\w+) = \(\) => import\("([^"]+)"\);$/gm)].map(([, name, path]) => [name, partOf(join("modules", path))]));
  for (const [, path, name] of routes.matchAll(/^ {2}\["([^"]*)", (\w+),/gm)) if (later[name]) words[path.split("/")[0]] = later[name];
  return words;
}

async function buildPage() {
  const page = read("index.html");
  const scripts = await buildScripts();
  const styles = await buildStyles(page);
  const icon = writeAsset("icon.svg", read("icon.svg"));
  const { code } = await transform(read("start.js"), { minify: true, target: TARGET });
  const start = writeAsset("start.js", code);
  const parts = Object.fromEntries(Object.entries(await firstWords()).map(([word, part]) => [word, scripts[part]]));
  let isLinked = false;
  const built = page
    .replace(/ *<link rel="stylesheet"[^>]*>\n/g, () => (isLinked ? "" : ((isLinked = true), `    <link rel="stylesheet" href="${styles}">\n`)))
    .replace('href="icon.svg"', `href="${icon}"`)
    .replace('<script src="start.js"></script>', `<script src="${start}" data-parts='${JSON.stringify(parts)}'></script>`)
    .replace('src="modules/main.js"', `src="${scripts.core}"`);
  writeFileSync(join(target, "index.html"), built);
}

mkdirSync(join(target, ASSETS), { recursive: true });
await buildPage();
for (const name of UNCHANGED) cpSync(join(sources, name), join(target, name));
for (const name of readdirSync(join(sources, "texts")).filter((each) => each !== "es.json")) cpSync(join(sources, "texts", name), join(target, "texts", basename(name)));
const licences = readdirSync(join(sources, "vendor")).filter((each) => each.startsWith("LICENSE")).sort();
writeFileSync(join(target, "licences.txt"), licences.map((name) => `${name.slice("LICENSE-".length, -".txt".length)}\n\n${read(`vendor/${name}`)}`).join("\n\n"));

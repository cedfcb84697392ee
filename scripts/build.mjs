// Builds `dist`: declarations file by file from the compiler, and code in few files, because a
// program waits for every file that it loads at its start (docs/decisions/0013 has the figures).
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { buildPage } from "./build-page.mjs";

/**
 * What a program loads at its start. Modules that the same ones of these need are one file, so
 * whoever bundles a single name of the package still gets what that name needs, and no more.
 */
const STARTS = [
  "context/create-context.ts",
  "core/truncate/truncate-output.ts",
  "tools/wrap-tool.ts",
  "archive/recall-tools.ts",
].map((file) => path.resolve("src", file));

const manifest = JSON.parse(readFileSync("package.json", "utf8"));

rmSync("dist", { recursive: true, force: true });
const declarations = spawnSync("tsc", ["-p", "tsconfig.build.json"], {
  stdio: "inherit",
  shell: process.platform === "win32",
});
if (declarations.status !== 0) process.exit(declarations.status ?? 1);

/** By file, what it imports at once, and what when it is needed. */
const imports = new Map();
const laterImports = new Map();
const graph = {
  name: "graph",
  moduleParsed({ id, importedIds, dynamicallyImportedIds }) {
    imports.set(id, importedIds);
    laterImports.set(id, dynamicallyImportedIds);
  },
};
/** The root entry passes its parts on by `*`; a bundler must still be able to leave one out. */
const root = {
  name: "root",
  resolveId: (source, importer) =>
    importer === path.resolve("src/index.ts")
      ? { id: source.replace(/\.ts$/, ".js"), external: true }
      : undefined,
};
/** No file of the package does anything when it loads, so none is loaded for that alone. */
const pure = {
  name: "pure",
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      file.code = file.code.replace(/^import "\.[^"]*";\n/gm, "");
    }
  },
};
/** A door has the names of its source and no others. */
const doors = {
  name: "doors",
  generateBundle(_, files) {
    for (const { isEntry, facadeModuleId, exports, fileName } of Object.values(files)) {
      if (!isEntry) continue;
      const own = new Set(this.getModuleInfo(facadeModuleId).exports);
      const more = exports.filter((name) => !own.has(name));
      if (more.length > 0) throw new Error(`${fileName} also exports ${more.join(", ")}.`);
    }
  },
};
/** The licences of packages whose code is in the files, beside it. */
const licences = {
  name: "licences",
  generateBundle(_, files) {
    const folders = Object.values(files)
      .flatMap(({ modules = {} }) => Object.keys(modules))
      .flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? []);
    const texts = [...new Set(folders)].sort().map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? "" : readFileSync(`${folder}/${file}`, "utf8").trim();
      return `${name} ${version} (${license})\n\n${text}\n`;
    });
    const source = texts.join(`\n${"-".repeat(80)}\n\n`);
    this.emitFile({ type: "asset", fileName: "THIRD-PARTY-LICENSES.txt", source });
  },
};
const bundle = await rolldown({
  input: Object.fromEntries(entries().map((entry) => [entry, `src/${entry}.ts`])),
  external: [
    /^node:/,
    /^#/,
    ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
  ],
  platform: "node",
  // Asked for by `includeDependenciesRecursively`; no door gets a name more: `doors` looks.
  preserveEntrySignatures: "allow-extension",
  plugins: [graph, root, pure, doors, licences],
});
const output = {
  dir: "dist",
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "parts/[name].js",
};
// Once to see what imports what.
await bundle.generate(output);
// A group holds what it names: what its files need may be somebody else's start.
const codeSplitting = { groups: groups(), includeDependenciesRecursively: false };
await bundle.write({ ...output, codeSplitting });
await buildPage("dist/page");

/** Every door of the package, what Node or a Worker gets, the parts of the root entry, the command line and its hooks. */
function entries() {
  const { exports, imports } = manifest;
  const doors = Object.values(exports).flatMap((door) => door.default ?? []);
  const choices = Object.values(imports).flatMap((choice) => Object.values(choice));
  const parts = readdirSync("src/entry").map((file) => `./dist/entry/${path.parse(file).name}.js`);
  const programs = [manifest.bin.longhaul, "./dist/cli/hook.js"];
  return [...new Set([...doors, ...choices, ...parts, ...programs])].map((file) =>
    file.slice("./dist/".length, -".js".length),
  );
}

/** One group for each set of starts that some modules are needed by, the largest sets first. */
function groups() {
  const reached = STARTS.map((start) => closure(start));
  const groups = new Map();
  for (const id of imports.keys()) {
    const needed = reached.flatMap((ids, index) => (ids.has(id) ? [index] : []));
    if (needed.length === 0) continue;
    const group = groups.get(needed.join()) ?? { ids: new Set(), needed };
    groups.set(needed.join(), { ...group, ids: group.ids.add(id) });
  }
  const starting = [...groups.values()].map(({ ids, needed }) => ({
    name: needed.length > 1 ? "shared" : path.parse(STARTS[needed[0]]).name,
    test: (id) => ids.has(id),
    priority: needed.length + 1,
  }));
  const ids = doorsOwn();
  return [...starting, { name: "doors", test: (id) => ids.has(id), priority: 1 }];
}

/** What several doors of SDKs need at once, and nothing does that works without them. */
function doorsOwn() {
  const others = entries().filter((entry) => !/^(?:hooks|dialects|cli|plugins)\//.test(entry));
  const taken = new Set();
  for (const entry of others) closure(path.resolve("src", `${entry}.ts`), taken);
  // A set also goes through what is added meanwhile.
  for (const id of taken) for (const later of laterImports.get(id) ?? []) closure(later, taken);
  const doors = entries().filter((entry) => entry.startsWith("hooks/"));
  const reached = doors.map((entry) => closure(path.resolve("src", `${entry}.ts`)));
  const several = (id) => reached.filter((ids) => ids.has(id)).length > 1;
  return new Set([...imports.keys()].filter((id) => several(id) && !taken.has(id)));
}

/** What a Worker gets stands in the same file as what asks for it; for Node it is a small one. */
function chosen(id) {
  const { default: built } = manifest.imports[id] ?? {};
  return built === undefined ? id : path.resolve(built.replace("dist", "src").replace(/js$/, "ts"));
}

/** A file and all that it loads at once. */
function closure(file, seen = new Set()) {
  if (seen.has(file) || !imports.has(file)) return seen;
  seen.add(file);
  for (const id of imports.get(file)) closure(chosen(id), seen);
  return seen;
}

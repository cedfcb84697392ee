// What a page or a Worker downloads, in kB of brotli: the built package, bundled with esbuild into
// chunks. `first` is what an import loads at once; a row of its own stands for each part that is
// loaded when it is first needed; `whole` is all of it. `files` is how many files of the package Node
// reads for the import. Fails above the limits in package.json.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";

const { sizes, imports } = JSON.parse(readFileSync("package.json", "utf8"));

/** The bundle of one import as chunks, each with its brotli size. */
async function bundle(code) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: process.cwd() },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2023",
    outdir: "dist/.sizes",
    write: false,
    metafile: true,
    // The package as others get it: its own tsconfig would choose for Node.
    tsconfigRaw: {},
    external: ["re2js", "node:*"],
  });
  const bytes = new Map(
    outputFiles.map(({ path, contents }) => [path, brotliCompressSync(contents).length]),
  );
  return Object.entries(metafile.outputs).map(([path, output]) => ({
    path,
    entry: output.entryPoint,
    size: bytes.get(resolve(path)) ?? 0,
    imports: output.imports.filter(({ external }) => !external),
  }));
}

/** Chunks grouped by when they load: the first ones, then one group for each dynamic import. */
function groups(chunks) {
  const byPath = new Map(chunks.map((chunk) => [chunk.path, chunk]));
  const seen = new Set();
  const waiting = [chunks.find(({ entry }) => entry === "<stdin>").path];
  const found = [];
  for (const start of waiting) {
    const members = [];
    const walk = (path) => {
      if (seen.has(path)) return;
      seen.add(path);
      const chunk = byPath.get(path);
      members.push(chunk);
      for (const { path: next, kind } of chunk.imports) {
        if (kind === "dynamic-import") waiting.push(next);
        else walk(next);
      }
    };
    walk(start);
    if (members.length === 0) continue;
    const size = members.reduce((sum, chunk) => sum + chunk.size, 0) / 1_000;
    found.push({ name: byPath.get(start).entry.replace(/^dist\/(?:parts\/)?|\.js$/g, ""), size });
  }
  return found;
}

/** The files of the built package that Node loads at once for a file. */
function filesOf(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const code = readFileSync(file, "utf8");
  for (const [, next] of code.matchAll(/^(?:import|export)\b[^"'`;]*?"([.#][^"]+)";$/gm)) {
    filesOf(imports[next] ? resolve(imports[next].node) : resolve(dirname(file), next), seen);
  }
  return seen;
}

function line(name, size, limit, unit = "kB") {
  const isOver = limit !== undefined && size > limit;
  if (isOver) process.exitCode = 1;
  const told = limit === undefined ? "" : `  of ${limit}${isOver ? "  TOO LARGE" : ""}`;
  const figure = unit === "kB" ? size.toFixed(1) : String(size);
  console.log(`${name.padEnd(44)}${figure.padStart(7)} ${unit}${told}`);
}

for (const { name, code, first, whole, files } of sizes) {
  const [start, ...later] = groups(await bundle(code));
  line(name, start.size, first);
  for (const part of later) line(`  later: ${part.name}`, part.size);
  const sum = [start, ...later].reduce((total, { size }) => total + size, 0);
  if (later.length > 0) line("  whole", sum, whole);
  if (files === undefined) continue;
  const [, door] = /'(\.[^']+)'/.exec(code);
  line("  read by Node", filesOf(resolve(door)).size, files, "files");
}

import { build } from "esbuild";
import { expect, it } from "vitest";
import { FORMAT_NAMES, transcriptFormats } from "../../src/transcripts/index.ts";

/** All modules that are loaded before a command is chosen. */
async function loadedAtStart(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    metafile: true,
    outdir: "out",
    packages: "external",
    platform: "node",
    splitting: true,
    write: false,
  });
  const loaded = new Set<string>();
  const visit = (output: string): void => {
    if (loaded.has(output)) return;
    loaded.add(output);
    for (const { path, kind } of metafile.outputs[output]?.imports ?? []) {
      if (kind === "import-statement") visit(path);
    }
  };
  visit("out/main.js");
  return [...loaded].flatMap((output) => [
    output,
    ...Object.keys(metafile.outputs[output]?.inputs ?? {}),
  ]);
}

it("starts without the readers of sessions: an agent waits for it with every command", async () => {
  const loaded = await loadedAtStart("src/cli/main.ts");
  expect(loaded).toContain("commander");
  expect(loaded).toContain("src/transcripts/names.ts");
  const large = /^zod|^@clack|src\/(?:context|dialects|archive|spill|transcripts\/(?!names))/;
  expect(loaded.filter((module) => large.test(module))).toEqual([]);
});

it("knows the names of all readers", () => {
  const names = new Set(transcriptFormats.map(({ name }) => name));
  expect(FORMAT_NAMES).toEqual([...names]);
});

import path from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";

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
    for (const { path: target, kind } of metafile.outputs[output]?.imports ?? []) {
      if (kind === "import-statement") visit(target);
    }
  };
  visit(`out/${path.basename(entry, ".ts")}.js`);
  return [...loaded].flatMap((output) => [
    output,
    ...Object.keys(metafile.outputs[output]?.inputs ?? {}),
  ]);
}

it("starts with the names of the commands only: an agent waits for it with every command", async () => {
  const entry = await loadedAtStart("src/cli/main.ts");
  const loaded = [...entry, ...(await loadedAtStart("src/cli/program.ts"))];
  expect(loaded).toContain("commander");
  const large =
    /^zod|^@clack|src\/(?!cli\/(?:main|program|io|columns|descriptors)|core\/(?:error|message|text))/;
  expect(loaded.filter((module) => large.test(module))).toEqual([]);
});

it.each([
  ["formats", /^zod|^@clack|src\/(?:archive|context|dialects\/(?!data-url)|hooks|models|spill)/],
  ["run", /^zod|^@clack|src\/(?:context|dialects|hooks|models|transcripts)/],
  ["truncate", /^zod|^@clack|src\/(?:context|dialects|hooks|models|transcripts)/],
  ["recall", /^zod|^@clack|src\/(?:context|dialects|hooks|models|spill|transcripts)/],
  ["gc", /^zod|^@clack|src\/(?:context|dialects|hooks|models|spill|transcripts)/],
])("loads for `%s` what it needs", async (command, foreign) => {
  const loaded = await loadedAtStart(`src/cli/${command}.ts`);
  expect(loaded.filter((module) => foreign.test(module))).toEqual([]);
});

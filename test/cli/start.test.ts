import { build, type Metafile } from "esbuild";
import { beforeAll, expect, it } from "vitest";

const COMMANDS = ["main", "program", "formats", "run", "truncate", "recall", "gc"];

let metafile: Metafile;
beforeAll(async () => {
  const built = await build({
    entryPoints: COMMANDS.map((name) => `src/cli/${name}.ts`),
    bundle: true,
    format: "esm",
    metafile: true,
    outdir: "out",
    packages: "external",
    platform: "node",
    splitting: true,
    write: false,
  });
  ({ metafile } = built);
});

/** All modules that are loaded before a command is chosen. */
function loadedAtStart(entry: string): readonly string[] {
  const loaded = new Set<string>();
  const visit = (output: string): void => {
    if (loaded.has(output)) return;
    loaded.add(output);
    for (const { path: target, kind } of metafile.outputs[output]?.imports ?? []) {
      if (kind === "import-statement") visit(target);
    }
  };
  visit(`out/${entry}.js`);
  return [...loaded].flatMap((output) => [
    output,
    ...Object.keys(metafile.outputs[output]?.inputs ?? {}),
  ]);
}

it("starts with the names of the commands only: an agent waits for it with every command", () => {
  const loaded = ["main", "program"].flatMap(loadedAtStart);
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
])("loads for `%s` what it needs", (command, foreign) => {
  const loaded = loadedAtStart(command);
  expect(loaded).toContain(`src/cli/${command}.ts`);
  expect(loaded.filter((module) => foreign.test(module))).toEqual([]);
});

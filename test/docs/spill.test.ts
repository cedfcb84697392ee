import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { expect, test } from "vitest";

const page = readFileSync("docs/spill.md", "utf8");

test("the example of the page runs", async () => {
  const code = /```ts\n([^]*?)```/.exec(page)?.[1] ?? "";
  const [imports, body] = [code.match(/^import .*$/gm) ?? [], code.replace(/^import .*$/gm, "")];
  expect(imports).toEqual([
    'import { pipeline } from "node:stream/promises";',
    'import { directoryArchive } from "longhaul/archive/directory";',
    'import { createSpill, runCommand } from "longhaul/spill";',
  ]);
  const spillRoom = await import("../../src/spill/index.ts");
  const { directoryArchive } = await import("../../src/archive/directory.ts");
  const scope = {
    directoryArchive,
    pipeline,
    createSpill: spillRoom.createSpill,
    runCommand: (options: object) =>
      spillRoom.runCommand({ ...options, command: "seq 1 100000", direction: "tail" }),
    folder: join(mkdtempSync(join(tmpdir(), "longhaul-docs-")), "archive"),
    response: new Response("line\n".repeat(50_000)),
  };
  // What the page shows is what runs.
  // oxlint-disable-next-line typescript/no-implied-eval
  const run = new Function(
    ...Object.keys(scope),
    `return (async () => { ${body}; return { result, text, entry }; })()`,
  ) as (...values: unknown[]) => Promise<{ result: Found; text: string; entry: Found["entry"] }>;
  const { result, text, entry } = await run(...Object.values(scope));
  expect(readFileSync(result.entry!.path, "utf8")).toMatch(/^1\n2\n[^]*\n100000\n$/);
  expect(readFileSync(entry!.path, "utf8")).toBe("line\n".repeat(50_000));
  expect(text).toContain(entry!.path);
});

interface Found {
  readonly entry?: { readonly path: string };
}

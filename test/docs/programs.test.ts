import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sample } from "../property/runs.ts";
import { allPrograms, printedBy } from "./page-code.ts";

/** What the pages show runs as it is pasted, in a process and a folder of its own. */
const programs = allPrograms()
  .filter(({ needs }) => needs === undefined)
  .map((program, at) => ({ ...program, file: `program-${at}` }));

const built = path.resolve(`test/.built/programs-${process.pid}`);

beforeAll(async () => {
  mkdirSync(built, { recursive: true });
  const sources = programs.map(({ file, code }) => {
    const source = path.join(built, `${file}.ts`);
    writeFileSync(source, code);
    return source;
  });
  await build({
    entryPoints: sources,
    outdir: built,
    outExtension: { ".js": ".mjs" },
    tsconfig: "tsconfig.json",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
  });
});
afterAll(() => rmSync(built, { recursive: true, force: true, maxRetries: 5 }));

it.each(sample(programs, 12))("runs as it is pasted: $name", async ({ file, code }) => {
  const cwd = mkdtempSync(path.join(tmpdir(), "longhaul-program-"));
  try {
    const env = { ...process.env, LONGHAUL_HOME: path.join(cwd, "home") };
    const run = promisify(execFile)(process.execPath, [path.join(built, `${file}.mjs`)], {
      cwd,
      env,
    });
    const { stdout, stderr } = await run;
    expect(stderr).toBe("");
    const said = printedBy(code);
    if (said.length > 0) expect(stdout.trimEnd().split("\n")).toEqual(said);
  } finally {
    rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
  }
});

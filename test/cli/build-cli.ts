import { mkdirSync, rmSync } from "node:fs";
import { build } from "esbuild";
import type { TestProject } from "vitest/node";
import { buildPage } from "../../scripts/build-page.mjs";

/** What tests start as processes of their own, by the name that each has in `test/.built`. */
const PROGRAMS = {
  main: "src/cli/main.ts",
  hook: "src/cli/hook.ts",
  "plugins/opencode/index": "src/plugins/opencode/index.ts",
  "plugins/pi/index": "src/plugins/pi/index.ts",
  "archive-collector": "test/archive/archive-collector.ts",
  "archive-spiller": "test/archive/archive-spiller.ts",
  "archive-writer": "test/archive/archive-writer.ts",
  "spill-process": "test/spill/spill-process.ts",
};

/**
 * Builds them once for a run: a process starts in a third of the time of its sources. When the tests
 * have run, the folder of all that they wrote goes.
 */
export async function setup({ config }: TestProject): Promise<() => void> {
  await build({
    entryPoints: PROGRAMS,
    outdir: "test/.built",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
  });
  await buildPage("dist/page");
  const { TMPDIR: scratch = "" } = config.env;
  mkdirSync(scratch, { recursive: true });
  return () => scratch && rmSync(scratch, { recursive: true, force: true });
}

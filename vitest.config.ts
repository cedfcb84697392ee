import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { closingLine } from "./scripts/closing-line.ts";

/** Tests that replace modules have a registry of modules of their own; all others share one. */
function replacesModules(file: string): boolean {
  return /\bvi\.(?:mock|resetModules)\(/.test(readFileSync(file, "utf8"));
}

/** Everything that tests keep on disk, temporary folders too; removed when they have run. */
const scratch = path.join(tmpdir(), `longhaul-tests-${process.pid}`);

export default defineConfig(({ mode }) => {
  const isAll = mode === "all" || process.env["LONGHAUL_TEST"] === "all";
  const apart = readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => path.join("test", name))
    .filter(replacesModules);
  // Files that repeat in bulk what others show once run in `npm run test:all` only.
  const bulk = isAll ? [] : ["test/**/*.all.test.ts"];
  const clients = ["test/clients/**"];
  const agents = {
    extends: true as const,
    test: { name: "agents", include: clients.map((glob) => `${glob}/*.test.ts`), maxWorkers: 1 },
  };
  return {
    // The examples import the package by its name: its sources, not what was built last.
    resolve: {
      tsconfigPaths: true,
      alias: { "#own-archive": path.resolve("src/archive/own-on-disk.ts") },
    },
    test: {
      projects: [
        {
          extends: true,
          test: {
            name: "together",
            include: ["test/**/*.test.ts"],
            exclude: [...apart, ...bulk, ...clients],
            isolate: false,
          },
        },
        { extends: true, test: { name: "apart", include: apart } },
        // The real coding agents, one after the other: `npm run test:clients` installs them first.
        ...(mode === "clients" ? [agents] : []),
      ],
      env: {
        LONGHAUL_TEST: isAll ? "all" : "",
        LONGHAUL_HOME: path.join(scratch, "state"),
        TMPDIR: scratch,
      },
      globalSetup: "test/cli/build-cli.ts",
      setupFiles: "test/property/setup.ts",
      testTimeout: 180_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: 30_000 } },
      // By default one core is left idle: half of a small machine.
      maxWorkers: "100%",
      reporters: ["default", closingLine],
    },
  };
});

import { defineConfig } from "vitest/config";
import { closingLine } from "./scripts/closing-line.ts";

export default defineConfig(({ mode }) => {
  const isAll = mode === "all" || process.env["LONGHAUL_TEST"] === "all";
  return {
    // The examples import the package by its name: its sources, not what was built last.
    resolve: { tsconfigPaths: true },
    test: {
      include: ["test/**/*.test.ts"],
      // Files that repeat in bulk what others show once run in `npm run test:all` only.
      exclude: isAll ? [] : ["test/**/*.all.test.ts"],
      env: { LONGHAUL_TEST: isAll ? "all" : "" },
      testTimeout: 180_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: 30_000 } },
      // By default one core is left idle: half of a small machine.
      maxWorkers: "100%",
      reporters: ["default", closingLine],
    },
  };
});

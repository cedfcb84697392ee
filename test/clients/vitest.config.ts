import path from "node:path";
import { defineConfig } from "vitest/config";
import { closingLine } from "../../scripts/closing-line.ts";

/** The real coding agents, which `install.sh` installs; one after the other, they are heavy. */
export default defineConfig({
  root: path.resolve(import.meta.dirname, "../.."),
  test: {
    include: ["test/clients/**/*.test.ts"],
    globalSetup: "test/cli/build-cli.ts",
    fileParallelism: false,
    testTimeout: 600_000,
    reporters: ["default", closingLine],
  },
});

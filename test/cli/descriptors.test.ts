import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { hasNoDescriptors } from "../../src/cli/descriptors.ts";
import { temporaryFolder } from "./run-cli.ts";

it("tells a package that cannot be read from one that is not there", () => {
  const folder = path.join(temporaryFolder(), "commander");
  mkdirSync(folder);
  const missing = (name: string): Error =>
    Object.assign(new Error(`Cannot find package '${name}' imported from /main.js`), {
      code: "ERR_MODULE_NOT_FOUND",
    });
  expect(hasNoDescriptors(missing("commander"))).toBe(false);
  expect(hasNoDescriptors(missing(path.join(folder, "index.js")))).toBe(false);
  writeFileSync(path.join(folder, "package.json"), "{}");
  expect(hasNoDescriptors(missing(path.join(folder, "index.js")))).toBe(true);
});

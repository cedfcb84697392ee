// Installs dependencies when they are missing or older than the lock file, so that the commands of
// the README work on a fresh clone. With `build`: only what the package needs and its compiler;
// else the tests' workspace too, which holds the real SDKs.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";

const MARKER = "node_modules/.package-lock.json";
const hasAll = existsSync("node_modules/vitest");
const wantsAll = hasAll || process.argv[2] !== "build";
const isFresh =
  existsSync(MARKER) && statSync(MARKER).mtimeMs >= statSync("package-lock.json").mtimeMs;

if (!isFresh || (wantsAll && !hasAll)) {
  const what = wantsAll ? "everything that tests and checks need" : "what the package needs";
  console.error(`Installing ${what} (npm ci) …`);
  const only = wantsAll ? [] : ["--workspaces=false"];
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", ["ci", ...only, ...options], {
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
}

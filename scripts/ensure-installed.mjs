// Installs the dependencies when they are missing or older than the lock file, so that the
// commands of the README work on a fresh clone.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";

const MARKER = "node_modules/.package-lock.json";
const isInstalled =
  existsSync(MARKER) && statSync(MARKER).mtimeMs >= statSync("package-lock.json").mtimeMs;

if (!isInstalled) {
  console.error("Installing dependencies (npm ci) …");
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
}

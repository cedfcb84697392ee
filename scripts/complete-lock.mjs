// Adds to package-lock.json the optional packages of other platforms that npm left out (it does so
// when the lock file is written next to an existing node_modules or with a partial registry), so
// that `npm ci` works on every system. Run it after changing dependencies.
import { readFileSync, writeFileSync } from "node:fs";

const SYSTEMS = [
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "aix",
  "win32",
];
const PROCESSORS = [
  "arm64",
  "arm",
  "x64",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
];

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const missing = [];
for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const isThere =
      `node_modules/${name}` in lock.packages || `${place}/node_modules/${name}` in lock.packages;
    if (isThere || !/^\d/.test(version)) continue;
    missing.push([name, version, entry.dev === true]);
  }
}

for (const [name, version, isDev] of missing) {
  const words = name.split(/[-/]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  lock.packages[`node_modules/${name}`] = {
    version,
    ...(cpu.length > 0 && { cpu }),
    ...(isDev && { dev: true }),
    optional: true,
    ...(os.length > 0 && { os }),
  };
}

const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries(sorted);
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
console.log(`added ${missing.length} packages of other platforms`);

import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directoryArchive } from "../../src/archive/directory.ts";
import type { Archive } from "../../src/archive/index.ts";

/** A fresh folder and an archive in it. */
export function newArchive(): { archive: Archive; folder: string } {
  const folder = join(mkdtempSync(join(tmpdir(), "longhaul-spill-")), "archive");
  return { archive: directoryArchive(folder), folder };
}

/** Names of the outputs below a folder, those still being written too. */
export function outputsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.txt$|\.spill\..*\.tmp$/.test(name),
  );
}

/** How many descriptors this process has open; `undefined` where the system does not say. */
export function openDescriptors(): number | undefined {
  return process.platform === "linux" ? readdirSync("/proc/self/fd").length : undefined;
}

/** Whether a process runs; one that ended and that nobody waited for does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== "linux") return true;
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

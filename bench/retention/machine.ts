import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import type { Results } from "./results.ts";

/** When, where, by which command, and of which code. */
export function machine(): Pick<Results, "date" | "machine" | "command" | "commit"> {
  const [cpu] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores of ${cpu?.model ?? "an unknown CPU"}, Node ${process.version.slice(1)}`,
    command: "npm run bench:retention",
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
  };
}

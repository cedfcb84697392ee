import { cpus } from "node:os";
import type { Results } from "./results.ts";

/** When, where and by which command. */
export function machine(): Pick<Results, "date" | "machine" | "command"> {
  const [cpu] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores of ${cpu?.model ?? "an unknown CPU"}, Node ${process.version.slice(1)}`,
    command: "npm run bench:retention",
  };
}

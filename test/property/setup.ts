import * as fc from "fast-check";
import { runs } from "./runs.ts";

/** The same cases in every run; `LONGHAUL_SEED=random` draws others, and a number draws its own. */
const asked = process.env["LONGHAUL_SEED"];

fc.configureGlobal({
  numRuns: runs(30, 100),
  ...(asked !== "random" && { seed: Number(asked ?? 7) }),
});

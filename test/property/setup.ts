import * as fc from "fast-check";
import { runs } from "./runs.ts";

/** The same cases in every run; `LONGHAUL_SEED=random` draws others, and a number draws its own. */
const asked = process.env["LONGHAUL_SEED"] ?? "7";

fc.configureGlobal({
  numRuns: runs(30, 100),
  // One that is told when a case fails, and that draws the same again.
  seed: asked === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(asked),
});

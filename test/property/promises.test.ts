import * as fc from "fast-check";
import { it } from "vitest";
import { attack } from "./attack.ts";
import { keepsPromises } from "./keeps-promises.ts";
import { runs } from "./runs.ts";

it("keeps its promises whatever is said, done, reported or broken", async () => {
  // Shrinking takes minutes, and seed and path are enough to see a case again.
  const numRuns = runs(300, 600);
  await fc.assert(fc.asyncProperty(attack, keepsPromises), { numRuns, endOnFailure: true });
}, 300_000);

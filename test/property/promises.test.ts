import * as fc from "fast-check";
import { it } from "vitest";
import { attack } from "./attack.ts";
import { keepsPromises } from "./keeps-promises.ts";
import { runs } from "./runs.ts";

it("keeps its promises whatever is said, done, reported or broken", async () => {
  for (const one of fc.sample(attack, { numRuns: runs(60, 120), seed: 11 })) {
    await keepsPromises(one);
  }
});

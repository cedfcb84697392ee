import * as fc from "fast-check";
import { it } from "vitest";
import { attack } from "./attack.ts";
import { keepsPromises } from "./keeps-promises.ts";
import { runs } from "./runs.ts";

/** So many cases have a seed of their own, so that a failure is seen again in seconds. */
const CASES = runs(500, 1_000);

/**
 * Attacks on the promises: 1,000 in `npm test`, 50,000 in `npm run test:all`, half of them in each
 * file with seeds of its own, because files share the cores.
 */
export function attackPromises(share: number): void {
  const { seed = 7 } = fc.readConfigureGlobal() ?? {};
  const seeds = Array.from({ length: runs(1, 25) }, (_, at) => seed + 2 * at + share);
  it.each(seeds)(
    "keeps its promises whatever is said, done, reported or broken: seed %i",
    async (own) => {
      // Shrinking takes minutes, and seed and path are enough to see a case again.
      const options = { numRuns: CASES, endOnFailure: true, seed: own };
      await fc.assert(fc.asyncProperty(attack, keepsPromises), options);
    },
    300_000,
  );
}

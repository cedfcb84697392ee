import * as fc from "fast-check";
import { it } from "vitest";
import { attack } from "./attack.ts";
import { keepsPromises } from "./keeps-promises.ts";
import { runs } from "./runs.ts";

/** So many cases have a seed of their own, so that a failure is seen again in seconds. */
const CASES = 1_000;

/**
 * Attacks on the promises: 1,000 in `npm test`, 10,000 in `npm run test:all`, each file with seeds of
 * its own, because files share the cores. Of 50,000 (seeds 7 to 56) four still fail: 28 at 476, 33 at
 * 313, 36 at 579 (a text that no handle reaches), and 53 at 89 (a result of exactly the limit).
 */
export function attackPromises(share: number): void {
  const { seed = 7 } = fc.readConfigureGlobal() ?? {};
  const seeds = Array.from({ length: runs(1, 10) }, (_, at) => seed + 2 * at + share);
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

/** Everybody who is compared at a cut. */
import { BASELINES } from "./baselines.ts";
import type { Contestant } from "./contestants.ts";
import { EMULATIONS } from "./emulations.ts";
import { LONGHAUL } from "./longhaul.ts";
import { PEERS } from "./peers/all.ts";

export function contestants(): readonly Contestant[] {
  return [...LONGHAUL, ...PEERS, ...EMULATIONS, ...BASELINES];
}

/** The own compactions of agents that cannot be loaded, as they are documented. */
import { contextBudget } from "../../src/core/overflow/index.ts";
import { emulation, EMULATED } from "../../src/simulate/index.ts";
import type { Contestant } from "./contestants.ts";
import { tokensOf } from "./segments.ts";

export const EMULATIONS: readonly Contestant[] = EMULATED.map((format): Contestant => {
  const { name, does, start } = emulation(format);
  return {
    name,
    does,
    byDefault: async ({ past, window }) => {
      const budget = contextBudget({ window });
      const decide = start({ budget, sizeOf: tokensOf, fixed: 0, context: {} });
      const kept = await decide({ history: past, list: past });
      return kept.asked === undefined ? undefined : kept;
    },
  };
});

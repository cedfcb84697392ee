import type { SummaryCall } from "../../models/model-summary.ts";
import type { SummaryUsage } from "../../models/summarizer.ts";

/** What models cost a context so far. */
export interface Spending {
  add(call: SummaryCall): void;
  readonly total: Required<SummaryUsage>;
}

export function createSpending(): Spending {
  let total = usageOf([]);
  return {
    add(call) {
      const { input, cached, output } = usageOf([call]);
      total = {
        input: total.input + input,
        cached: total.cached + cached,
        output: total.output + output,
      };
    },
    get total() {
      return total;
    },
  };
}

/** Of all calls together, in the provider's tokens; calls that reported nothing count as 0. */
export function usageOf(calls: readonly SummaryCall[]): Required<SummaryUsage> {
  const usages = calls.flatMap(({ usage }) => usage ?? []);
  const sum = (of: (usage: SummaryUsage) => number): number =>
    usages.reduce((total, usage) => total + of(usage), 0);
  return {
    input: sum(({ input }) => input),
    cached: sum(({ cached = 0 }) => cached),
    output: sum(({ output }) => output),
  };
}

import { ContextError } from "../core/error.ts";
import type { SummaryCall, SummaryUsage } from "../models/summarizer.ts";

/** How long a summary may take: what people accept as a pause, and most models need less. */
const TIMEOUT_MS = 60_000;
const TIMEOUT_VARIABLE = "LONGHAUL_SUMMARIZER_TIMEOUT_MS";
/** Early enough for a model to answer while the agent fills the rest. */
const AHEAD_SHARE = 0.85;

/** The time limit in ms. Throws `invalid-options` for one that makes no sense. */
export function summarizerTimeout(option: number | undefined): number {
  // A runtime without a process, a browser's for instance, has no environment either.
  const variable = (globalThis as { process?: { env?: Record<string, string | undefined> } })
    .process?.env?.[TIMEOUT_VARIABLE];
  const named = option === undefined && variable !== undefined && variable !== "";
  const value = option ?? (named ? Number(variable) : TIMEOUT_MS);
  if (value > 0 && Number.isFinite(value)) return value;
  const name = named ? TIMEOUT_VARIABLE : "summarizerTimeoutMs";
  throw new ContextError(
    "invalid-options",
    `The option ${name} is ${String(named ? variable : option)}; it must be a number of milliseconds above 0.`,
    { details: { option: name, value: named ? variable : option } },
  );
}

/** The share of the limit at which summaries are begun; infinite for never. */
export function aheadShare(option: number | false | undefined): number {
  if (option === false) return Infinity;
  const share = option ?? AHEAD_SHARE;
  if (share > 0 && share <= 1) return share;
  throw new ContextError(
    "invalid-options",
    `The option summarizeAhead is ${String(option)}; it must be false, or above 0 and at most 1.`,
    { details: { option: "summarizeAhead", value: option } },
  );
}

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

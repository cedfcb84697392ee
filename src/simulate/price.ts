/** The cost of a simulated session. */
import type { CacheTotal } from "./simulate.ts";

/** US dollars for a million tokens. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** @default the price of input */
  readonly cacheWrite?: number;
}

const MILLION = 1_000_000;

/** US dollars of all prompts and of the summaries; answers of the agent cost the same everywhere. */
export function costOf(total: Omit<CacheTotal, "rules">, price: TokenPrice): number {
  const { input, output, cacheRead, cacheWrite = input } = price;
  const prompts = total.fresh * input + total.read * cacheRead + total.written * cacheWrite;
  return (prompts + total.output * output) / MILLION;
}

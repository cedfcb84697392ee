import { sha256Hex } from "../archive/digest.ts";
import type { PlanOptions } from "../core/plan/index.ts";
import { estimator } from "../core/tokens/estimator.ts";
import { createMessageMeter } from "../core/tokens/meter.ts";
import type { TokenCounter } from "../core/tokens/index.ts";

/**
 * The needs of `planContext` beside a budget and the time: a counter, a meter that remembers its
 * measurements, and the digest that names originals. Keep them for as long as the conversation
 * lasts, so that every message is measured once.
 */
export function planDefaults(
  counter: TokenCounter = estimator,
): Pick<PlanOptions, "counter" | "meter" | "digest"> {
  return { counter, meter: createMessageMeter(counter), digest: sha256Hex };
}

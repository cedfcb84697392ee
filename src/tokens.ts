/** `longhaul/tokens`: the estimator by itself. */
export { estimateTokens, estimator } from "./core/tokens/estimator.ts";
export type { MessageMeter } from "./core/tokens/index.ts";

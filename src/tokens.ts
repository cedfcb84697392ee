/** `longhaul/tokens`: the estimator by itself. */
export { estimateTokens } from "./core/tokens/estimate-tokens.ts";
export { estimator } from "./core/tokens/estimator.ts";
export type { MessageMeter } from "./core/tokens/index.ts";

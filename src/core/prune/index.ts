export { inputPlaceholder } from "./placeholder.ts";
export { isProtectedBy, pruneBoundary } from "./protection.ts";
export type { ProtectedTools, PruneContext, PruneOptions } from "./protection.ts";
export { planPrune, prunableTokens } from "./prune.ts";
export type { PrunedPiece } from "./prune.ts";

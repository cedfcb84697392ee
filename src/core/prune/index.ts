export { inputPlaceholder } from "./placeholder.ts";
export { isProtectedBy } from "./protection.ts";
export type { ProtectedTools, PruneContext, PruneOptions } from "./protection.ts";
export { planPrune, pruneBoundary, prunableTokens } from "./prune.ts";
export type { PrunedPiece } from "./prune.ts";

export { isProtectedBy } from "./protection.ts";
export type { ProtectedResult, ProtectedTools, PruneContext, PruneOptions } from "./protection.ts";
export { planPrune, pruneBoundary } from "./prune.ts";
export type { PrunedPiece } from "./prune.ts";

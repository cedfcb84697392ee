export { isProtectedBy } from "./protected-tools.ts";
export type { ProtectedTools } from "./protected-tools.ts";
export type { ProtectedResult, PruneContext, PruneOptions } from "./protection.ts";
export { planPrune, pruneBoundary } from "./prune.ts";
export type { PrunedPiece } from "./prune.ts";

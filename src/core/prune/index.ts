export { pruneBoundary } from "./boundary.ts";
export type { PruneContext, PruneOptions } from "./options.ts";
export { inputPlaceholder } from "./placeholder.ts";
export { DEFAULT_PROTECTED_TOOLS, isProtectedBy } from "./protection.ts";
export type { ProtectedTools } from "./protection.ts";
export { planPrune, prunableTokens } from "./prune.ts";
export type { PrunedPiece } from "./pruned-piece.ts";

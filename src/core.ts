/** `longhaul/core`: the stages as functions, for whoever keeps the state of a conversation alone. */
export { planDefaults } from "./context/plan-defaults.ts";
export { pruneToolOutputs } from "./context/prune-tool-outputs.ts";
export type { PrunedOutputs, PruneToolOutputsOptions } from "./context/index.ts";
export { buildContinuation } from "./core/continuation/continuation.ts";
export type { ContinuationContext } from "./core/continuation/index.ts";
export { checkMessages } from "./core/message/check.ts";
export { repairMessages } from "./core/message/repair.ts";
export type { Edit, MessageIssue } from "./core/message/index.ts";
export { isOverflow } from "./core/overflow/budget.ts";
export { applyPlan, originalsOf, planContext } from "./core/plan/index.ts";
export type { ContextPlan, PlanOptions } from "./core/plan/index.ts";
export {
  DEFAULT_COMPACTION_TEMPLATE,
  extractiveSummary,
  validateSummary,
} from "./core/summary/index.ts";
export type { ExtractiveInput, SummaryValidation } from "./core/summary/index.ts";

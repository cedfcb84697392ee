/** `longhaul/core`: the stages as functions, for whoever keeps the state of a conversation alone. */
export { planDefaults } from "./context/plan-defaults.ts";
export { pruneToolOutputs } from "./context/prune-tool-outputs.ts";
export type { PrunedOutputs, PruneToolOutputsOptions } from "./context/index.ts";
export {
  buildContinuation,
  CONTINUE_MARK,
  CONTINUE_TEXT,
  describeMedia,
  MEDIA_MARK,
  runState,
} from "./core/continuation/continuation.ts";
export type { Continuation, ContinuationOptions } from "./core/continuation/index.ts";
export { describeCall } from "./core/calls/describe-call.ts";
export type { CallFacts } from "./core/calls/index.ts";
export { extractLedger } from "./core/ledger/extract.ts";
export type { ExtractOptions } from "./core/ledger/extract.ts";
export { checkMessages } from "./core/message/check.ts";
export { repairMessages } from "./core/message/repair.ts";
export type { Edit, MessageIssue } from "./core/message/index.ts";
export { isOverflow } from "./core/overflow/budget.ts";
export { applyPlan, originalsOf, planContext } from "./core/plan/index.ts";
export type { ContextPlan, PlanOptions } from "./core/plan/index.ts";
export {
  DEFAULT_COMPACTION_TEMPLATE,
  extractiveSummary,
  frameSummary,
  parseSummary,
  resolveTemplate,
  unframeSummary,
  validateSummary,
} from "./core/summary/index.ts";
export { renderTemplate } from "./core/summary/prompt.ts";
export type {
  CompactionTemplate,
  ExtractiveInput,
  FrameFacts,
  SummarySections,
  SummaryValidation,
} from "./core/summary/index.ts";

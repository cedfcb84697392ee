/** `longhaul/core`: the stages as functions, for whoever keeps the state of a conversation alone. */
export {
  applyPlan,
  buildContinuation,
  checkMessages,
  describeCall,
  describeMedia,
  extractiveSummary,
  extractLedger,
  frameSummary,
  isOverflow,
  originalsOf,
  parseSummary,
  planContext,
  planDefaults,
  pruneToolOutputs,
  renderTemplate,
  repairMessages,
  resolveTemplate,
  runState,
  unframeSummary,
  validateSummary,
} from "./entry/core.ts";
export { CONTINUE_MARK, CONTINUE_TEXT, MEDIA_MARK } from "./core/continuation/continuation.ts";
export { DEFAULT_COMPACTION_TEMPLATE } from "./core/summary/index.ts";
export type { PrunedOutputs, PruneToolOutputsOptions } from "./context/index.ts";
export type { Continuation, ContinuationOptions } from "./core/continuation/index.ts";
export type { CallFacts } from "./core/calls/index.ts";
export type { ExtractOptions } from "./core/ledger/extract.ts";
export type { Edit, MessageIssue } from "./core/message/index.ts";
export type { ContextPlan, PlanOptions } from "./core/plan/index.ts";
export type {
  CompactionTemplate,
  ExtractiveInput,
  FrameFacts,
  SummarySections,
  SummaryValidation,
} from "./core/summary/index.ts";

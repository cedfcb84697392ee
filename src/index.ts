export { memoryArchive, recallRange, recallTools, searchArchive } from "./archive/index.ts";
export type {
  Archive,
  ArchiveEntry,
  ArchiveJournal,
  MemoryArchiveOptions,
  OriginalReader,
  ReadOptions,
  Recalled,
  RecallOptions,
  RecallTools,
  SearchHit,
  SearchOptions,
  SearchResult,
  SpillFile,
} from "./archive/index.ts";
export { compact, createContext, planTools, pruneToolOutputs } from "./context/index.ts";
export type {
  AnyContextEvent,
  Context,
  ContextEventName,
  ContextEvents,
  ContextListener,
  ContextOptions,
  ContextPlugin,
  ContextReport,
  JournalRecord,
  PieceReport,
  Prepared,
  PrepareOptions,
  PrunedOutputs,
  PruneToolOutputsOptions,
  SummaryReport,
  SummarySource,
} from "./context/index.ts";
export { buildContinuation } from "./core/continuation/index.ts";
export type {
  ContinuationContext,
  ContinuationPolicy,
  RunState,
} from "./core/continuation/index.ts";
export type { Edit, Original } from "./core/message/index.ts";
export { ContextError, isContextError } from "./core/error.ts";
export type { ContextErrorCode, ContextErrorDetails, Failure } from "./core/error.ts";
export type { Digest, Handle, OriginalKind } from "./core/message/index.ts";
export type { Ledger } from "./core/ledger/index.ts";
export { checkMessages, repairMessages } from "./core/message/index.ts";
export type {
  FilePart,
  Message,
  MessageIssue,
  MessageKind,
  OpaquePart,
  OutputPart,
  Part,
  ReasoningPart,
  Role,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Usage,
} from "./core/message/index.ts";
export { contextBudget, isOverflow, recogniseOverflow } from "./core/overflow/index.ts";
export type { BudgetOptions, ContextBudget, ProviderOverflow } from "./core/overflow/index.ts";
export { applyPlan, planContext } from "./core/plan/index.ts";
export type { ContextPlan, PlanOptions, RequestLimits } from "./core/plan/index.ts";
export type { PrunedPiece, PruneOptions, ProtectedTools } from "./core/prune/index.ts";
export {
  DEFAULT_COMPACTION_TEMPLATE,
  extractiveSummary as extractiveSummarizer,
  validateSummary,
} from "./core/summary/index.ts";
export type {
  ExtractiveInput,
  SectionOverride,
  SummaryValidation,
  TemplateOverride,
} from "./core/summary/index.ts";
export { estimateTokens } from "./core/tokens/estimator.ts";
export type { MessageMeter, TokenCounter } from "./core/tokens/index.ts";
export type { ToolKind, ToolKinds } from "./core/calls/index.ts";
export { truncateOutput } from "./core/truncate/index.ts";
export type {
  Direction,
  Limits,
  OutputMeta,
  ToolLimitOptions,
  ToolLimitOverrides,
  TruncatedText,
  TruncateOutputMeta,
  Truncation,
} from "./core/truncate/index.ts";
export type { Dialect, DialectTraits } from "./dialects/dialect.ts";
export type { ModelSummary, SummaryCall } from "./models/model-summary.ts";
export type {
  SummarizeFunction,
  Summarizer,
  SummaryAnswer,
  SummaryRequest,
  SummaryUsage,
} from "./models/summarizer.ts";
export { wrapTool, wrapTools } from "./tools/index.ts";
export type {
  TruncatedEvent,
  TruncatedOutput,
  TruncationOptions,
  WrapToolOptions,
} from "./tools/index.ts";

export * from "./entry/context.ts";
export * from "./entry/overflow.ts";
export * from "./entry/truncate.ts";
export * from "./entry/tools.ts";
export type {
  Archive,
  ArchiveEntry,
  ArchiveJournal,
  MemoryArchiveOptions,
  OriginalReader,
  RecallTools,
  SpillFile,
} from "./archive/index.ts";
export type {
  AnyContextEvent,
  AssumedFactor,
  Context,
  ContextEventName,
  ContextEvents,
  ContextListener,
  ContextOptions,
  ContextPlugin,
  ContextReport,
  EarlyPrune,
  JournalRecord,
  PieceReport,
  Prepared,
  PrepareOptions,
  SummaryReport,
  SummarySource,
  TemplateFunction,
  TemplateOption,
  TemplateRequest,
} from "./context/index.ts";
export type { DescribeMedia } from "./core/compact/index.ts";
export type { Continuation, ContinuationPolicy, RunState } from "./core/continuation/index.ts";
export type { ContextErrorCode, ContextErrorDetails, Failure } from "./core/error.ts";
export type {
  CommandFact,
  ErrorFact,
  FileFact,
  FileOp,
  InstructionFact,
  Ledger,
  NameFact,
  StatementFact,
  TodoFact,
} from "./core/ledger/index.ts";
export type {
  Digest,
  EditReason,
  FilePart,
  Handle,
  Message,
  MessageKind,
  MessageSource,
  OpaquePart,
  Original,
  OriginalKind,
  OutputPart,
  Part,
  ReasoningPart,
  Role,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Usage,
} from "./core/message/index.ts";
export type {
  BudgetOptions,
  ContextBudget,
  NamedModel,
  ProviderOverflow,
} from "./core/overflow/index.ts";
export type { RequestLimits } from "./core/plan/index.ts";
export type { PrunedPiece, PruneOptions, ProtectedTools } from "./core/prune/index.ts";
export type { SectionOverride, TemplateOverride } from "./core/summary/index.ts";
export type { SummaryPrompt } from "./core/summary/prompt.ts";
export type { TokenCounter } from "./core/tokens/index.ts";
export type { ToolKind, ToolKinds } from "./core/calls/index.ts";
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
export type { DialectTraits } from "./dialects/index.ts";
export type { HookOptions } from "./hooks/hook.ts";
export type {
  ModelSummary,
  SummarizeFunction,
  Summarizer,
  SummaryAnswer,
  SummaryCall,
  SummaryRequest,
  SummaryUsage,
} from "./models/summarizer.ts";
export type {
  TruncatedEvent,
  TruncatedOutput,
  TruncationOptions,
  WrapToolOptions,
} from "./tools/index.ts";

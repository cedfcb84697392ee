export { createContext, reportFailure } from "./create-context.ts";
export type { Context } from "./create-context.ts";
export type {
  AnyContextEvent,
  ContextEventName,
  ContextEvents,
  ContextListener,
} from "./events.ts";
export type { JournalRecord, SummarySource } from "./journal.ts";
export type { AssumedFactor, SentBeside } from "./measure.ts";
export type {
  ContextOptions,
  ContextPlugin,
  TemplateFunction,
  TemplateOption,
  TemplateRequest,
} from "./options.ts";
export type { PrunedOutputs, PruneToolOutputsOptions } from "./prune-tool-outputs.ts";
export type { Failure } from "../core/error.ts";
export type { ContextReport, PieceReport, Prepared, SummaryReport } from "./report.ts";
export type { EarlyPrune } from "./plan-edit.ts";
export type { PrepareOptions } from "./steps.ts";

export type { SentBeside } from "./view/beside.ts";
export { compact } from "./compact.ts";
export { createContext } from "./create-context.ts";
export type { Context, PrepareOptions } from "./create-context.ts";
export type {
  AnyContextEvent,
  ContextEventName,
  ContextEvents,
  ContextListener,
} from "./events.ts";
export type { JournalRecord, SummarySource } from "./journal/journal.ts";
export type { ContextOptions } from "./options.ts";
export type { ContextPlugin } from "./plugins.ts";
export type { Prepared } from "./prepared.ts";
export { planDefaults } from "./plan-defaults.ts";
export { pruneToolOutputs } from "./prune-tool-outputs.ts";
export type { PrunedOutputs, PruneToolOutputsOptions } from "./prune-tool-outputs.ts";
export type { Failure } from "../core/error.ts";
export type { ContextReport, PieceReport, SummaryReport } from "./report.ts";

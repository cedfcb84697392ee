export * from "./create-context.ts";
export type { ContextEventName, ContextEvents, ContextListener } from "./events.ts";
export type { JournalRecord } from "./journal.ts";
export type { ContextOptions } from "./options.ts";
export type { Prepared } from "./prepared.ts";
export type { ContextReport, Failure, PieceReport, SummaryReport } from "./report.ts";

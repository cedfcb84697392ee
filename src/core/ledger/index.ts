export * from "./ledger.ts";
export { createLedgerBook, extractLedger } from "./extract.ts";
export type { ExtractOptions, LedgerBook } from "./extract.ts";
export { createLedgerSum, mergeLedgers } from "./merge.ts";
export type { LedgerSum, MergeOptions } from "./merge.ts";

export * from "./ledger.ts";
export { createLedgerBook, extractLedger } from "./extract.ts";
export type { ExtractOptions, LedgerBook } from "./extract.ts";
export { mergeLedgers } from "./merge.ts";
export type { MergeOptions } from "./merge.ts";

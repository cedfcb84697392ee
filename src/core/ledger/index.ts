export * from "./ledger.ts";
export { extractLedger } from "./extract.ts";
export type { ExtractOptions } from "./extract.ts";
export { mergeLedgers } from "./merge.ts";
export type { MergeOptions } from "./merge.ts";

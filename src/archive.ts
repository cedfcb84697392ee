/** `longhaul/archive`: to look into any archive. */
export { recallRange, searchArchive } from "./archive/index.ts";
export type {
  Recalled,
  RecallOptions,
  SearchHit,
  SearchOptions,
  SearchResult,
} from "./archive/index.ts";

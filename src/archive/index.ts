export type {
  Archive,
  ArchiveEntry,
  ArchiveJournal,
  OriginalReader,
  SpillFile,
} from "./archive.ts";
export { sha256Hex } from "./digest.ts";
export { memoryArchive } from "./memory.ts";
export type { MemoryArchiveOptions } from "./memory.ts";
export { recallBytes, recalledText, recallRange } from "./recall.ts";
export type { Range, Recalled, RecallOptions } from "./recall.ts";
export { recallTools } from "./recall-tools.ts";
export type {
  RecallAnswer,
  RecallInput,
  RecallModelOutput,
  RecallTool,
  RecallTools,
  SearchInput,
} from "./recall-tools.ts";
export { searchArchive } from "./search.ts";
export type { SearchOptions } from "./search.ts";
export type { SearchHit, SearchResult, SearchStop } from "./search-result.ts";
export { searchLines, searchText } from "./search-result.ts";

export type {
  Archive,
  ArchiveEntry,
  ArchiveJournal,
  OriginalReader,
  ReadOptions,
  SpillFile,
} from "./archive.ts";
export { sha256Hex } from "./digest.ts";
export { memoryArchive } from "./memory.ts";
export type { MemoryArchiveOptions } from "./memory.ts";
export { recallBytes, recalledText, recallRange } from "./recall/recall.ts";
export type { Range, Recalled, RecallOptions } from "./recall/recall.ts";
export { recallTools } from "./recall/recall-tools.ts";
export type { RecallInput, RecallTool, RecallTools, SearchInput } from "./recall/recall-tools.ts";
export { searchArchive } from "./search/search.ts";
export type { SearchOptions, SearchResult, SearchStop } from "./search/search.ts";
export type { SearchHit } from "./search/search-hit.ts";
export { searchLines, searchText } from "./search/search-text.ts";

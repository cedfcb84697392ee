export type { Archive, ArchiveEntry, OriginalReader, SpillFile } from "./archive.ts";
export { sha256Hex } from "./digest.ts";
export { memoryArchive } from "./memory.ts";
export type { MemoryArchiveOptions } from "./memory.ts";

export type { Archive, ArchiveEntry } from "./archive.ts";
export { sha256Hex } from "./digest.ts";
export { memoryArchive } from "./memory.ts";
export type { MemoryArchiveOptions } from "./memory.ts";

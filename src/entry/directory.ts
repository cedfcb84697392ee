/** `longhaul/archive/directory`: originals on disk, and what is removed of them. */
export { directoryArchive } from "../archive/directory.ts";
export type { DirectoryArchiveOptions } from "../archive/directory.ts";
export { collectGarbage } from "../archive/retention.ts";
export type {
  GarbageOptions,
  GarbageReport,
  RetentionOptions,
  StoredAmount,
} from "../archive/retention.ts";

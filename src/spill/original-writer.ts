import { isUtf8 } from "node:buffer";
import { write } from "node:fs";
import { promisify } from "node:util";
import type { Archive, ArchiveEntry, SpillFile } from "../archive/index.ts";
import { ContextError } from "../core/error.ts";

/** Where the bytes of one original go, one piece after the other. */
export interface OriginalWriter {
  /** Rejects when the archive cannot take the bytes; nothing can be kept then. */
  append(bytes: Uint8Array): Promise<void>;
  commit(): Promise<ArchiveEntry>;
  /** Leaves nothing behind. Never rejects. */
  discard(): Promise<void>;
}

const writeAt = promisify(write);
/** An archive without files gets an original as one text, so it is held in memory until then. */
const MOST_HELD_BYTES = 8_000_000;

/** Opens an original in an archive: a file where there are files. */
export async function openOriginal(archive: Archive): Promise<OriginalWriter> {
  const file = await archive.open?.("out");
  return file === undefined ? heldOriginal(archive) : fileOriginal(file);
}

function fileOriginal(file: SpillFile): OriginalWriter {
  return {
    async append(bytes) {
      for (let at = 0; at < bytes.length;) {
        const { bytesWritten } = await writeAt(file.fd, bytes, at, bytes.length - at, null);
        at += bytesWritten;
      }
    },
    commit: () => file.commit(),
    discard: () => file.discard(),
  };
}

function heldOriginal(archive: Archive): OriginalWriter {
  let held: Uint8Array[] = [];
  let size = 0;
  return {
    async append(bytes) {
      size += bytes.length;
      if (size > MOST_HELD_BYTES) throw tooLarge(archive.name);
      held.push(bytes);
    },
    async commit() {
      const bytes = Buffer.concat(held);
      if (!isUtf8(bytes)) throw noText(archive.name);
      return archive.put("out", bytes.toString("utf8"));
    },
    async discard() {
      held = [];
    },
  };
}

function tooLarge(archive: string): ContextError {
  return new ContextError(
    "limit-exceeded",
    `The ${archive} archive has no files, so it takes outputs of at most ${MOST_HELD_BYTES} bytes. Use an archive with files for larger ones.`,
    { details: { archive, limit: MOST_HELD_BYTES } },
  );
}

function noText(archive: string): ContextError {
  return new ContextError(
    "archive-failed",
    `The ${archive} archive has no files, so it cannot hold an output that is not UTF-8. Use an archive with files.`,
    { details: { archive } },
  );
}

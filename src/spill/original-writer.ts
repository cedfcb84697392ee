import { isUtf8 } from "node:buffer";
import { fdatasync, write, writeSync } from "node:fs";
import { promisify } from "node:util";
import type { Archive, ArchiveEntry, SpillFile } from "../archive/index.ts";
import { ContextError } from "../core/error.ts";

/** Where the bytes of one original go, one piece after the other. */
export interface OriginalWriter {
  /**
   * With a promise, the bytes must not change until it settles. Throws or rejects when the archive
   * cannot take the bytes; nothing can be kept then.
   */
  append(bytes: Uint8Array): Promise<void> | undefined;
  /** @param whole All bytes, where they are in memory. */
  commit(whole?: Uint8Array): Promise<ArchiveEntry>;
  /** Leaves nothing behind. Never rejects. */
  discard(): Promise<void>;
}

const writeTo = promisify(write);
/** A write that took longer than this, in ms, waited for the disk: the next one is not waited for here. */
const SLOW_MS = 20;
/** So many bytes are worth a request of their own. */
const SYNC_BYTES = 8_388_608;
/** An archive without files gets an original as one text, so it is held in memory until then. */
const MOST_HELD_BYTES = 8_000_000;

/** Starts an original in an archive: a file where there are files. */
export async function startOriginal(archive: Archive): Promise<OriginalWriter> {
  const file = await archive.open?.("out");
  return file === undefined ? heldOriginal(archive) : fileOriginal(file);
}

/**
 * Written on the spot: the bytes are in the cache of this processor, and handing them to another
 * thread costs more than taking them into the memory of the system. Not so when the disk is slow.
 */
function fileOriginal(file: SpillFile): OriginalWriter {
  const { fd } = file;
  const syncAhead = syncer(fd);
  let isSlow = false;
  const appendLater = async (bytes: Uint8Array): Promise<void> => {
    for (let at = 0; at < bytes.length;) at += (await writeTo(fd, bytes, at)).bytesWritten;
  };
  const append = (bytes: Uint8Array): Promise<void> | undefined => {
    if (isSlow) return appendLater(bytes);
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    return undefined;
  };
  return {
    append(bytes) {
      const startedAt = performance.now();
      const note = (): void => {
        isSlow = performance.now() - startedAt > SLOW_MS;
        syncAhead(bytes.length);
      };
      const appended = append(bytes);
      if (appended !== undefined) return appended.then(note);
      note();
      return undefined;
    },
    commit: (whole) => file.commit(whole),
    discard: () => file.discard(),
  };
}

/** The disk works while more bytes come; what it has to say is said once more at the end. */
function syncer(fd: number): (bytes: number) => void {
  let waiting = 0;
  let isSyncing = false;
  return (bytes) => {
    waiting += bytes;
    if (isSyncing || waiting < SYNC_BYTES) return;
    [isSyncing, waiting] = [true, 0];
    fdatasync(fd, () => (isSyncing = false));
  };
}

function heldOriginal(archive: Archive): OriginalWriter {
  let held: Uint8Array[] = [];
  let size = 0;
  return {
    async append(bytes) {
      size += bytes.length;
      if (size > MOST_HELD_BYTES) throw tooLarge(archive.name);
      // A copy: the memory is used again.
      held.push(bytes.slice());
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

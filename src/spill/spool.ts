import { isUtf8 } from "node:buffer";
import { fdatasync, writeSync } from "node:fs";
import type { Archive, ArchiveEntry, SpillFile } from "../archive/index.ts";
import { ContextError, isContextError } from "../core/error.ts";

/** Brings a stream of bytes into an archive; a failure costs the original and stops nothing. */
export interface Spool {
  /** Takes the next bytes; with a promise, they must not change until it settles. Never rejects. */
  append(bytes: Uint8Array): Promise<void> | undefined;
  /** Takes the last bytes and keeps all of them: `whole`, where they are in memory. Never rejects. */
  keep(last: Uint8Array, whole?: Uint8Array): Promise<Kept>;
  /** Leaves nothing behind. Never rejects. */
  discard(): Promise<void>;
}

/** The end of an original. */
export interface Kept {
  readonly entry?: ArchiveEntry;
  /** Why there is none although there should be. */
  readonly notKept?: string;
}

export interface SpoolOptions {
  readonly archive: Archive | undefined;
  /** The archive takes no more than this. */
  readonly maxBytes: number;
}

/** Where the bytes of one original go. `append` throws and `commit` rejects when the archive fails. */
interface Target {
  append(bytes: Uint8Array): void;
  commit(whole?: Uint8Array): Promise<ArchiveEntry>;
  discard(): Promise<void>;
}

const NO_ARCHIVE = "there is no archive";
const ENDED = "the output had ended before";
/** The disk works ahead of the end once there are so many bytes for it. */
const SYNC_BYTES = 8_388_608;
/** An archive without files gets an original as one text, so it is held in memory until then. */
const MOST_HELD_BYTES = 8_000_000;

/** Nothing is opened before the first bytes come. */
export function createSpool({ archive, maxBytes }: SpoolOptions): Spool {
  let size = 0;
  let target: Target | undefined;
  let notKept = archive === undefined ? NO_ARCHIVE : undefined;

  const discard = async (): Promise<void> => {
    const last = target;
    target = undefined;
    await last?.discard();
  };
  const fail = (error: unknown): Promise<void> => {
    notKept = reasonOf(error);
    return discard();
  };
  const open = async (bytes: Uint8Array, into: Archive): Promise<void> => {
    try {
      target = await openTarget(into);
      target.append(bytes);
    } catch (error) {
      await fail(error);
    }
  };
  const append = (bytes: Uint8Array): Promise<void> | undefined => {
    if (archive === undefined || notKept !== undefined) return undefined;
    try {
      size += bytes.length;
      if (size > maxBytes) throw tooLong(maxBytes);
      if (target === undefined) return open(bytes, archive);
      target.append(bytes);
      return undefined;
    } catch (error) {
      return fail(error);
    }
  };
  return {
    append,
    discard,
    async keep(last, whole) {
      await append(last);
      const [full, failure] = [target, notKept ?? ENDED];
      [target, notKept] = [undefined, ENDED];
      if (full === undefined) return { notKept: failure };
      try {
        return { entry: await full.commit(whole) };
      } catch (error) {
        return { notKept: reasonOf(error) };
      }
    },
  };
}

async function openTarget(archive: Archive): Promise<Target> {
  const file = await archive.open?.("out");
  return file === undefined ? memoryTarget(archive) : fileTarget(file);
}

/**
 * Written on the spot: the bytes are in the cache of this processor, and handing them to another thread
 * costs more than taking them into the memory of the system. The source cannot be faster than the disk.
 */
function fileTarget(file: SpillFile): Target {
  const { fd } = file;
  let unsynced = 0;
  return {
    append(bytes) {
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      unsynced += bytes.length;
      if (unsynced < SYNC_BYTES) return;
      unsynced = 0;
      // Nobody waits for it, and a failure comes once more at the end.
      fdatasync(fd, () => undefined);
    },
    commit: (whole) => file.commit(whole),
    discard: () => file.discard(),
  };
}

function memoryTarget(archive: Archive): Target {
  const held: Uint8Array[] = [];
  let size = 0;
  return {
    append(bytes) {
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
    async discard() {},
  };
}

function tooLong(maxBytes: number): ContextError {
  return new ContextError("limit-exceeded", `it is larger than ${maxBytes} bytes`);
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

/** As a clause that can follow "was not kept:". */
export function reasonOf(error: unknown): string {
  if (isContextError(error)) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  if (code === "ENOSPC") return "the disk is full";
  if (code === "EDQUOT") return "the disk quota is used up";
  if (code === "EFBIG") return "the system allows no larger file";
  return `the file could not be written (${code})`;
}

import type { Archive, ArchiveEntry } from "../archive/index.ts";
import { isContextError } from "../core/error.ts";
import { type Ends, keepEnds } from "./keep-ends.ts";
import { openOriginal, type OriginalWriter } from "./original-writer.ts";

/** Takes a stream of bytes: its ends stay in memory, the whole goes to the archive. */
export interface Receiver {
  readonly ends: Ends;
  /** Takes a piece, which must not change afterwards. Whoever writes waits for the result. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** After the last piece: `keep` what was received, or leave nothing behind. Never rejects. */
  finish(keep: boolean): Promise<Kept>;
}

/** What became of an original. */
export interface Kept {
  readonly entry?: ArchiveEntry;
  /** Why there is none although there should be. */
  readonly notKept?: string;
}

export interface ReceiveOptions {
  readonly archive: Archive | undefined;
  /** Bytes that each end keeps. */
  readonly capacity: number;
  /** So many bytes are held back before a file is made: a small output needs none. */
  readonly heldBytes: number;
  /** The archive takes no more than this. */
  readonly maxBytes: number;
}

/** Whoever writes waits while more than this is not yet on its way to the disk. */
const HIGH_WATER_BYTES = 4_194_304;
export const NO_ARCHIVE = "there is no archive";

export function receive({ archive, capacity, heldBytes, maxBytes }: ReceiveOptions): Receiver {
  const ends = keepEnds(capacity);
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let writer: OriginalWriter | undefined;
  let notKept = archive === undefined ? NO_ARCHIVE : undefined;
  let flushing: Promise<void> | undefined;

  const takeWaiting = (): Uint8Array => {
    const [first = new Uint8Array(0), ...more] = waiting;
    const batch = more.length === 0 ? first : Buffer.concat(waiting);
    [waiting, waitingBytes] = [[], 0];
    return batch;
  };
  const flush = async (): Promise<void> => {
    try {
      if (archive !== undefined) writer ??= await openOriginal(archive);
      while (waiting.length > 0) await writer?.append(takeWaiting());
    } catch (error) {
      notKept ??= reasonOf(error);
    }
    if (notKept === undefined) return;
    takeWaiting();
    await writer?.discard();
    writer = undefined;
  };
  const startFlush = (): Promise<void> =>
    (flushing ??= flush().finally(() => (flushing = undefined)));

  return {
    ends,
    write(chunk) {
      ends.add(chunk);
      if (notKept !== undefined) return undefined;
      if (ends.bytes() > maxBytes) {
        notKept = `it is larger than ${maxBytes} bytes`;
        takeWaiting();
        return startFlush();
      }
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (ends.bytes() <= heldBytes) return undefined;
      const flushed = startFlush();
      return waitingBytes > HIGH_WATER_BYTES ? flushed : undefined;
    },
    async finish(keep) {
      await flushing;
      if (keep && notKept === undefined) await startFlush();
      if (!keep || notKept !== undefined || writer === undefined) {
        await writer?.discard();
        return keep && notKept !== undefined ? { notKept } : {};
      }
      try {
        return { entry: await writer.commit() };
      } catch (error) {
        return { notKept: reasonOf(error) };
      }
    },
  };
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

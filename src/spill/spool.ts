import type { Archive, ArchiveEntry } from "../archive/index.ts";
import { isContextError } from "../core/error.ts";
import { startOriginal, type OriginalWriter } from "./original-writer.ts";

/** Brings a stream of bytes into an archive; what fails costs the original and stops nothing. */
export interface Spool {
  /** Takes the next bytes. With a promise, they must not change until it settles. Never rejects. */
  append(bytes: Uint8Array): Promise<void> | undefined;
  /** Takes the last bytes and keeps all of them: `whole`, where they are in memory. Never rejects. */
  keep(last: Uint8Array, whole?: Uint8Array): Promise<Kept>;
  /** Leaves nothing behind. Never rejects. */
  discard(): Promise<void>;
}

/** What became of an original. */
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

const NO_ARCHIVE = "there is no archive";
const ENDED = "the output had ended before";

/** Nothing is opened before the first bytes come. */
export function createSpool({ archive, maxBytes }: SpoolOptions): Spool {
  let size = 0;
  let writer: OriginalWriter | undefined;
  let notKept = archive === undefined ? NO_ARCHIVE : undefined;

  const discard = async (): Promise<void> => {
    const last = writer;
    writer = undefined;
    await last?.discard();
  };
  const giveUp = (reason: string): Promise<void> => {
    notKept = reason;
    return discard();
  };
  const fail = (error: unknown): Promise<void> => giveUp(reasonOf(error));
  const open = async (bytes: Uint8Array, into: Archive): Promise<void> => {
    writer = await startOriginal(into);
    await writer.append(bytes);
  };
  const append = (bytes: Uint8Array): Promise<void> | undefined => {
    if (archive === undefined || notKept !== undefined) return undefined;
    size += bytes.length;
    if (size > maxBytes) return giveUp(`it is larger than ${maxBytes} bytes`);
    try {
      const work = writer === undefined ? open(bytes, archive) : writer.append(bytes);
      return work?.catch(fail);
    } catch (error) {
      return fail(error);
    }
  };
  return {
    append,
    discard,
    async keep(last, whole) {
      await append(last);
      const full = writer;
      writer = undefined;
      const failure = notKept ?? ENDED;
      notKept = ENDED;
      if (full === undefined) return { notKept: failure };
      try {
        return { entry: await full.commit(whole) };
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

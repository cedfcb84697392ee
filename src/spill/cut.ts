import { setImmediate as nextTurn } from "node:timers/promises";
import type { ArchiveEntry } from "../archive/index.ts";
import { AMOUNT, is, type Rules } from "../core/rules.ts";
import { truncateEnds } from "../core/truncate/truncate-output.ts";
import { withNotice } from "../core/truncate/notice.ts";
import type { Direction, Limits, Truncation } from "../core/truncate/index.ts";

export interface CutOptions {
  readonly limits: Limits;
  readonly direction: Direction;
}

/** An output as far as it is in memory: as a whole, or its two ends. */
export interface Received {
  readonly bytes: number;
  /** Absent when nobody counted them. */
  readonly lines?: number;
  readonly whole?: Uint8Array;
  readonly head?: Uint8Array;
  readonly tail?: Uint8Array;
}

export interface PartsOptions {
  readonly direction: Direction;
  /** Bytes of an end from which the fullest preview can be made. */
  readonly capacity: number;
}

/** As much of an output as its preview needs: where both ends are wanted, the middle is searched. */
export function partsOf(
  whole: Uint8Array,
  { direction, capacity }: PartsOptions,
): Pick<Received, "whole" | "head" | "tail"> {
  if (direction === "both" || whole.length <= 2 * capacity) return { whole };
  return { head: whole.subarray(0, capacity), tail: whole.subarray(whole.length - capacity) };
}

export interface Kept {
  readonly entry?: ArchiveEntry;
  /** The reason why there is none although there should be. */
  readonly notKept?: string;
}

/** An output that can be read and kept. */
export interface Source {
  /** Bytes so far. */
  size(): number;
  /** The bytes that a preview is made of, also while they are kept. */
  read(direction: Direction): Received;
  /** Keeps the whole in the archive. Never rejects. */
  keep(): Promise<Kept>;
  /** Leaves nothing behind. Never rejects. */
  discard(): Promise<void>;
}

/** No tool leaves so much of what it truncates itself, so nothing of this size is let through. */
const CERTAIN_BYTES = 200_000;

/** The preview, and the original if there is more to it than the preview or `keep` is set. */
export async function cutAndKeep(
  source: Source,
  { keep, ...options }: CutOptions & { readonly keep: boolean },
): Promise<{ readonly truncation: Truncation; readonly kept: Kept }> {
  const isCertain = source.size() > Math.max(CERTAIN_BYTES, 2 * options.limits.maxBytes);
  const keeping = isCertain ? source.keep() : undefined;
  // An output that is cut for certain is on its way to the disk while it is cut.
  if (isCertain) await nextTurn();
  const truncation = cutReceived(source.read(options.direction), options);
  if (keeping !== undefined) return { truncation, kept: await keeping };
  if (keep || truncation.isTruncated) return { truncation, kept: await source.keep() };
  await source.discard();
  return { truncation, kept: {} };
}

function cutReceived(received: Received, options: CutOptions): Truncation {
  const { bytes, lines, whole, head, tail } = received;
  const none = new Uint8Array(0);
  return truncateEnds({
    head: whole ?? head ?? none,
    tail: tail ?? none,
    totalBytes: bytes,
    totalLines: lines,
    ...options,
  });
}

/** The kept part, the notice if something was cut, and what else a model must know, in brackets. */
export function previewText(
  truncation: Truncation,
  { entry, notKept }: Kept,
  warnings: readonly string[],
): string {
  const text = withNotice(truncation, { handle: entry?.handle, path: entry?.path, notKept });
  if (warnings.length === 0) return text;
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${text}${gap}${warnings.map((warning) => `[${warning}]`).join("\n")}`;
}

const ABOVE_ZERO = is("a number above 0", (value) => typeof value === "number" && value > 0);

export const SPILL_RULES: Rules = {
  maxFileBytes: ABOVE_ZERO,
  timeoutMs: ABOVE_ZERO,
  graceMs: AMOUNT,
};

const NEWLINE = 10;
/** Four line ends in one 32-bit word. */
const NEWLINES = 0x0a0a0a0a;
const LOW_BITS = 0x7f7f7f7f;
/** A lane of eight bits can count so many words before it overflows. */
const MOST_WORDS = 255;
/** In fewer bytes there may be no whole word. */
const WORTH_BYTES = 16;

/**
 * The line ends (`\n`) in the bytes. Four bytes at a time: three times as fast as a loop over
 * bytes, and fast enough to run beside a child process that writes to the disk.
 */
export function countNewlines(bytes: Uint8Array): number {
  if (bytes.length < WORTH_BYTES) return countInBytes(bytes, 0);
  const before = -bytes.byteOffset & 3;
  const count = (bytes.length - before) >> 2;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + before, count);
  const after = before + count * 4;
  return countInBytes(bytes, 0, before) + countInWords(words) + countInBytes(bytes, after);
}

function countInBytes(bytes: Uint8Array, from: number, to: number = bytes.length): number {
  let count = 0;
  for (let at = from; at < to; at++) if (bytes[at] === NEWLINE) count++;
  return count;
}

function countInWords(words: Int32Array): number {
  let count = 0;
  for (let at = 0; at < words.length;) {
    const end = Math.min(words.length, at + MOST_WORDS);
    let lanes = 0;
    for (; at < end; at++) {
      // A byte that is a line end becomes 0, and only a byte that is 0 leaves its top bit clear.
      const word = (words[at] as number) ^ NEWLINES;
      const rest = ((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS;
      lanes = (lanes + (~rest >>> 7)) | 0;
    }
    count += (lanes & 255) + ((lanes >>> 8) & 255) + ((lanes >>> 16) & 255) + (lanes >>> 24);
  }
  return count;
}

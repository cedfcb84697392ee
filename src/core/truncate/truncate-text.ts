import {
  countLines,
  type Decoded,
  decodeUtf8,
  dropPartialEnd,
  skipPartialStart,
  utf8Length,
} from "../text/index.ts";
import { isBinaryText } from "./binary.ts";
import { cutEnds, type Ends } from "./cut.ts";
import {
  checkedDirection,
  completeLimits,
  DEFAULT_LIMITS,
  type Direction,
  type Limits,
} from "./limits.ts";
import { type EarlierTruncation, findTruncation } from "./marker.ts";
import type { Truncation } from "./truncation.ts";

export interface TruncateOptions {
  /** @default 2000 lines and 50000 bytes */
  readonly limits?: Partial<Limits>;
  /** Which end stays. @default "tail" */
  readonly direction?: Direction;
  /** What the caller knows of the whole output already, so that it is not counted again. */
  readonly total?: { readonly lines?: number; readonly bytes?: number };
  /** Whether lines are counted; for a huge text this is what costs most. @default true */
  readonly countLines?: boolean;
}

/**
 * An output within its limits (T15). What fits comes back as it is, and so does what a tool
 * truncated before; anything else keeps the end, the start or both, at whole lines where that is
 * possible, without colours and overwritten lines. Beside one count of lines and bytes, the work
 * depends on the limits and not on the text. Throws `invalid-options` for impossible limits.
 */
export function truncateText(text: string, options: TruncateOptions = {}): Truncation {
  return truncateWhole(text, 0, options);
}

/** The ends of an output that is held nowhere as a whole. */
export interface OutputEnds {
  /** Its first bytes. May be empty where the start is not wanted. */
  readonly head: Uint8Array;
  /** Its last bytes. Both may overlap; together they may be all of it. */
  readonly tail: Uint8Array;
  readonly totalBytes: number;
  /** How many lines there were, if somebody counted; the last one needs no line end. */
  readonly totalLines?: number;
  readonly limits?: Partial<Limits>;
  readonly direction?: Direction;
  /** Where the platform has a faster one with the same result. @default decodeUtf8 */
  readonly decode?: (bytes: Uint8Array) => Decoded;
}

/**
 * The same for an output of which a caller holds only the ends, as bytes. Ends of `windowBytes()`
 * give the fullest preview; of longer ones the rest is searched for errors (direction `both`).
 */
export function truncateEnds(output: OutputEnds): Truncation {
  const { head, tail, totalBytes, totalLines, decode = decodeUtf8 } = output;
  const whole = wholeOf(output);
  if (whole !== undefined) {
    const { text, invalid } = decode(whole);
    return truncateWhole(text, invalid, { ...output, total: { bytes: totalBytes } });
  }
  const start = decode(head.subarray(0, dropPartialEnd(head)));
  const end = decode(tail.subarray(skipPartialStart(tail)));
  const ends: Ends = {
    head: start.text,
    tail: end.text,
    isWhole: false,
    total: { ...(totalLines !== undefined && { lines: totalLines }), bytes: totalBytes },
    invalid: start.invalid + end.invalid,
  };
  const direction = checkedDirection(output.direction ?? "tail");
  return cutEnds(ends, { limits: completeLimits(output.limits), direction });
}

/** All bytes of an output, if its ends are all of it. */
function wholeOf({ head, tail, totalBytes }: OutputEnds): Uint8Array | undefined {
  if (head.length >= totalBytes) return head.subarray(0, totalBytes);
  if (tail.length >= totalBytes) return tail.subarray(tail.length - totalBytes);
  const common = head.length + tail.length - totalBytes;
  if (common < 0) return undefined;
  const whole = new Uint8Array(totalBytes);
  whole.set(head);
  whole.set(tail.subarray(common), head.length);
  return whole;
}

function truncateWhole(text: string, invalid: number, options: TruncateOptions): Truncation {
  const limits = completeLimits(options.limits);
  const direction = checkedDirection(options.direction ?? "tail");
  const total = totalOf(text, options);
  const isFitting = invalid === 0 && fits(text, limits) && !isBinaryText(text);
  if (isFitting) return untouched(text, direction, total);
  const earlier = earlierTruncation(text, limits);
  if (earlier !== undefined) return { ...untouched(text, direction, total), earlier };
  const ends: Ends = { head: text, tail: text, isWhole: true, total, invalid };
  return cutEnds(ends, { limits, direction });
}

function untouched(text: string, direction: Direction, total: Ends["total"]): Truncation {
  return {
    text,
    isTruncated: false,
    direction,
    total,
    kept: { lines: total.lines ?? countLines(text), bytes: total.bytes },
    isLineCut: false,
  };
}

function totalOf(
  text: string,
  { total, countLines: isCounted = true }: TruncateOptions,
): Ends["total"] {
  const lines = total?.lines ?? (isCounted ? countLines(text) : undefined);
  return { ...(lines !== undefined && { lines }), bytes: total?.bytes ?? utf8Length(text) };
}

/** Both limits; stops looking as soon as one is passed. */
function fits(text: string, { maxLines, maxBytes }: Limits): boolean {
  if (text.length > maxBytes) return false;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (++lines > maxLines) return false;
  }
  return utf8Length(text) <= maxBytes;
}

/** What a notice, or the wording of another tool, may add to limits like ours. */
const ALLOWANCE: Limits = { maxLines: 100, maxBytes: 10_000 };

/**
 * A marker is no pass for any size: what claims to be truncated and is much larger than any tool
 * leaves it is cut like everything else.
 */
function earlierTruncation(text: string, limits: Limits): EarlierTruncation | undefined {
  const most = {
    maxLines: Math.max(limits.maxLines, DEFAULT_LIMITS.maxLines) + ALLOWANCE.maxLines,
    maxBytes: Math.max(limits.maxBytes, DEFAULT_LIMITS.maxBytes) + ALLOWANCE.maxBytes,
  };
  return fits(text, most) ? findTruncation(text) : undefined;
}

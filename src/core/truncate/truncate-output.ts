import {
  countLines,
  decodeUtf8,
  dropPartialEnd,
  skipPartialStart,
  utf8Length,
} from "../text/utf8.ts";
import { ContextError } from "../error.ts";
import { checkNames } from "../options.ts";
import { isBinaryText } from "./binary.ts";
import { cutEnds } from "./cut.ts";
import {
  checkedDirection,
  completeLimits,
  DEFAULT_LIMITS,
  type Direction,
  type Limits,
  META_NAMES,
  outputLimits,
  type OutputMeta,
  type ToolLimits,
} from "./limits.ts";
import { type EarlierTruncation, findTruncation } from "./marker.ts";
import { type NoticeTarget, withNotice } from "./notice.ts";
import type { Truncation } from "./truncation.ts";

export interface TruncateOutputMeta extends OutputMeta {
  /** The place of the whole output, now or soon; without it the notice says that it was not kept. */
  readonly target?: NoticeTarget;
}

export interface TruncatedText {
  /** The text for the model: the output as it is, or the kept part with its notice. */
  readonly text: string;
  readonly truncation: Truncation;
  /** The whole output, where it was truncated: store it before it is forgotten. */
  readonly original?: string;
}

/**
 * T15 for one output, without any effect: at most 2,000 lines and 50,000 bytes of UTF-8 stay (by
 * default), and a notice that says how to see the rest. An output that fits or was truncated before
 * comes back as it is. Throws `invalid-options` for limits that leave nothing.
 * @example
 * import { truncateOutput } from "longhaul";
 *
 * const log = "all is well\n".repeat(9_000);
 * const { text, original } = truncateOutput(log, { toolName: "bash" });
 * console.log(text.length < 50_000); // true
 * console.log(original === log); // true
 */
export function truncateOutput(output: string, meta: TruncateOutputMeta = {}): TruncatedText {
  assertOutput(output, meta);
  checkNames(meta, { ...META_NAMES, target: true });
  const truncation = truncateText(output, outputLimits(meta));
  if (!truncation.isTruncated) return { text: output, truncation };
  return { text: withNotice(truncation, meta.target), truncation, original: output };
}

/** A caller in JavaScript may have an answer of a tool that is no text. */
function assertOutput(output: unknown, meta: unknown): void {
  const { toolName = "", toolKinds = {}, target = {} } = Object(meta) as TruncateOutputMeta;
  const isKnown = [meta, toolKinds, target].every((value) => Object(value) === value);
  if (typeof output === "string" && typeof toolName === "string" && isKnown) return;
  const problem = "truncateOutput takes the text of an output and what is known of it.";
  throw new ContextError("invalid-options", problem);
}

export interface TruncateOptions {
  /** @default 2000 lines and 50000 bytes */
  readonly limits?: Partial<Limits>;
  /** Which end stays. @default "tail" */
  readonly direction?: Direction;
}

/**
 * An output within its limits (T15). One that fits comes back as it is, and so does one that a tool
 * truncated before; anything else keeps the end, the start or both, at whole lines where that is
 * possible, without colours and overwritten lines. Beside one count of lines and bytes, the work
 * depends on the limits and not on the text. Throws `invalid-options` for impossible limits.
 */
export function truncateText(text: string, options: TruncateOptions = {}): Truncation {
  return truncateWhole(text, 0, options);
}

/** The ends of an output that is held nowhere as a whole. */
export interface OutputEnds extends TruncateOptions {
  /** Its first bytes. May be empty where the start is not wanted. */
  readonly head: Uint8Array;
  /** Its last bytes. Both may overlap; together they may be all of it. */
  readonly tail: Uint8Array;
  readonly totalBytes: number;
  /** The number of lines, if somebody counted; the last one needs no line end. */
  readonly totalLines?: number;
}

/**
 * The same for an output of which a caller holds only the ends, as bytes. Ends of `windowBytes()`
 * give the fullest preview; of longer ones the rest is searched for errors (direction `both`).
 */
export function truncateEnds(output: OutputEnds): Truncation {
  const { head, tail, totalBytes: bytes, totalLines: lines } = output;
  const whole = wholeOf(output);
  if (whole !== undefined) {
    const { text, invalid } = decodeUtf8(whole);
    return truncateWhole(text, invalid, output, bytes);
  }
  const start = decodeUtf8(head.subarray(0, dropPartialEnd(head)));
  const end = decodeUtf8(tail.subarray(skipPartialStart(tail)));
  const invalid = start.invalid + end.invalid;
  return cutEnds(
    { head: start.text, tail: end.text, isWhole: false, total: { lines, bytes }, invalid },
    checked(output),
  );
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

function checked({ limits, direction = "tail" }: TruncateOptions): ToolLimits {
  return { limits: completeLimits(limits), direction: checkedDirection(direction) };
}

function truncateWhole(
  text: string,
  invalid: number,
  options: TruncateOptions,
  bytes: number = utf8Length(text),
): Truncation {
  const { limits, direction } = checked(options);
  const total = { lines: countLines(text), bytes };
  const untouched = { text, isTruncated: false, direction, total, kept: total, isLineCut: false };
  if (invalid === 0 && fits(total, limits) && !isBinaryText(text)) return untouched;
  const earlier = earlierTruncation(text, total, limits);
  if (earlier !== undefined) return { ...untouched, earlier };
  return cutEnds({ head: text, tail: text, isWhole: true, total, invalid }, { limits, direction });
}

type Size = Truncation["kept"];

function fits({ lines, bytes }: Size, { maxLines, maxBytes }: Limits): boolean {
  return lines <= maxLines && bytes <= maxBytes;
}

/** Room for a notice, or the wording of another tool, beyond limits like ours. */
const ALLOWANCE: Limits = { maxLines: 100, maxBytes: 10_000 };

/**
 * A marker is no pass for any size: an output much larger than any tool leaves it is cut like
 * others.
 */
function earlierTruncation(
  text: string,
  size: Size,
  limits: Limits,
): EarlierTruncation | undefined {
  const most = {
    maxLines: Math.max(limits.maxLines, DEFAULT_LIMITS.maxLines) + ALLOWANCE.maxLines,
    maxBytes: Math.max(limits.maxBytes, DEFAULT_LIMITS.maxBytes) + ALLOWANCE.maxBytes,
  };
  return fits(size, most) ? findTruncation(text) : undefined;
}

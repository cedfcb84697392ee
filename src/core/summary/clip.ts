import type { Handle } from "../message/index.ts";
import { lengthWithin } from "./plain-text.ts";
import type { CountTokens } from "./plain-text.ts";

/** Marks that a text or a list was cut, and where the rest is. */
const MARK = /… \[clipped, (\d+) characters in all(?:: recall ([\w, ]+))?\]$/;

/** Below this many tokens the start of a text says nothing: name it among the rest instead. */
const SMALLEST_CLIP = 24;

export interface ClipOptions {
  /** At most, with the mark. */
  readonly tokens: number;
  readonly count: CountTokens;
  /** Where the whole text is, newest first. */
  readonly handles: readonly Handle[];
  /**
   * Whether a text of several lines is cut between two of them: `prefer`, or `only` there.
   * @default "no"
   */
  readonly atLineEnd?: "no" | "prefer" | "only";
}

/**
 * The start of a text with a mark that names its whole length and where it is. A text that was
 * clipped before keeps its first length. `undefined` when too little of it would be left.
 */
export function clipText(
  text: string,
  { tokens, count, handles, atLineEnd = "no" }: ClipOptions,
): string | undefined {
  const start = clippedStart(text) ?? text;
  const whole = MARK.exec(text)?.[1] ?? String(start.length);
  const where = handles.length === 0 ? "" : `: recall ${handles.join(", ")}`;
  const mark = `… [clipped, ${whole} characters in all${where}]`;
  const room = tokens - count(mark) - 1;
  if (room < SMALLEST_CLIP) return undefined;
  const kept = start.slice(0, lengthWithin(start, room, count));
  const lineEnd = atLineEnd === "no" ? -1 : kept.lastIndexOf("\n");
  if (atLineEnd === "only" && lineEnd <= 0) return undefined;
  return `${(lineEnd > 0 ? kept.slice(0, lineEnd) : kept).trimEnd()}${mark}`;
}

/** What is left of a clipped text; `undefined` for a whole one. */
export function clippedStart(text: string): string | undefined {
  const mark = MARK.exec(text);
  return mark === null ? undefined : text.slice(0, mark.index);
}

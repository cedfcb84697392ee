import type { Handle } from "../message/index.ts";

/** How much of a clipped text stays at its start; the end says how it came out. */
const HEAD_SHARE = 0.35;

/** Counts the tokens of a text. */
export type Count = (text: string) => number;

export interface ClipOptions {
  /** The most tokens the clipped text may have, the notice included. */
  readonly maxTokens: number;
  readonly count: Count;
  /** Names the original in the notice; absent when it could not be archived. */
  readonly handle?: Handle;
  /** What the text is, for the notice. @default "text" */
  readonly what?: string;
}

/**
 * Shortens a text to a number of tokens: both ends stay, the middle goes, and a notice says how
 * many lines there were and how to get them back. A text that fits is returned as it is. Cuts never
 * split a code point. Below what the notice itself needs, the notice alone is returned.
 */
export function clipText(text: string, options: ClipOptions): string {
  const total = options.count(text);
  if (total <= options.maxTokens) return text;
  const notice = clipNotice(text, total, options);
  const room = options.maxTokens - options.count(notice);
  let units = Math.floor((text.length * room) / total);
  while (units > 40) {
    const clipped = join(text, units, notice);
    if (options.count(clipped) <= options.maxTokens) return clipped;
    units = Math.floor(units * 0.85);
  }
  return notice;
}

function clipNotice(text: string, tokens: number, { handle, what = "text" }: ClipOptions): string {
  const lines = countLines(text);
  const recall =
    handle === undefined ? "the original was not kept" : `recall ${handle} for the whole`;
  return `[… the middle of this ${what} was clipped: ${lines} lines, ${tokens} tokens in all; ${recall} …]`;
}

function join(text: string, units: number, notice: string): string {
  const head = wholeStart(text, Math.floor(units * HEAD_SHARE));
  const tail = wholeEnd(text, units - head.length);
  return `${head}\n${notice}\n${tail}`;
}

/** The first `units` of a text, shortened to a line end or at least to a whole code point. */
function wholeStart(text: string, units: number): string {
  const start = text.slice(0, isHighSurrogate(text, units - 1) ? units - 1 : units);
  const line = start.lastIndexOf("\n");
  return line > units / 2 ? start.slice(0, line) : start;
}

function wholeEnd(text: string, units: number): string {
  const from = text.length - units;
  const end = text.slice(isLowSurrogate(text, from) ? from + 1 : from);
  const line = end.indexOf("\n");
  return line >= 0 && line < units / 2 ? end.slice(line + 1) : end;
}

function isHighSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800;
}

function isLowSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

/** How many lines a text has; a last line without a line end counts. */
export function countLines(text: string): number {
  if (text === "") return 0;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

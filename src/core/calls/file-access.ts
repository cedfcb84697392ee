/** Lines of a file, both ends included, counted as the tool counts them. */
export interface LineRange {
  readonly from: number;
  /** `Infinity` when the read has no end. */
  readonly to: number;
}

/**
 * One file that a tool call touches.
 * - `read`: (some of) its content came into the conversation.
 * - `write`: its whole content was set; it may not have been there before.
 * - `edit`: it was there and was changed.
 * - `delete`: it was removed; with `recursive` also everything below it, if it is a folder.
 */
export interface FileAccess {
  readonly path: string;
  readonly op: "read" | "write" | "edit" | "delete";
  /** For a partial read by a reading tool. What a command read is always taken as partial. */
  readonly range?: LineRange;
  readonly recursive?: boolean;
  /** In a command line: a statement before the last one, so it ran even if the last one failed. */
  readonly early?: boolean;
}

/**
 * How many lines a read without a range surely showed. Agents cut at 2,000 lines or 50,000 bytes,
 * whichever comes first, and 50,000 bytes hold about 1,000 lines of source code.
 */
const WHOLE_READ_LINES = 1_000;

/** Whether a later read of the same file shows everything an earlier one showed. */
export function coversRead(later: FileAccess, earlier: FileAccess): boolean {
  if (later.range === undefined) {
    return earlier.range === undefined || earlier.range.to <= WHOLE_READ_LINES;
  }
  if (earlier.range === undefined) return false;
  return later.range.from <= earlier.range.from && later.range.to >= earlier.range.to;
}

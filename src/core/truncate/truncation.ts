import type { Cleaning } from "../text/terminal.ts";
import type { ErrorLines } from "../text/errors.ts";
import type { Direction } from "./limits.ts";
import type { EarlierTruncation } from "./marker.ts";

/** The result of T15 for one output; plain JSON. */
export interface Truncation {
  /** The kept part, without the notice. Both limits hold for it. */
  readonly text: string;
  /** Whether `text` is anything but the whole output, character for character. */
  readonly isTruncated: boolean;
  /** Which end is kept. Not always the one that was asked for: an end that is no text is not. */
  readonly direction: Direction;
  readonly total: {
    /** Absent when nobody counted them. */
    readonly lines?: number;
    readonly bytes: number;
  };
  /** The part of the output that `text` holds. */
  readonly kept: { readonly lines: number; readonly bytes: number };
  /** The part that `text` does not hold; absent when only colours and the like were taken out. */
  readonly omitted?: Omitted;
  /** The changes to the kept part: things taken out or replaced. */
  readonly cleaning?: Cleaning;
  /** Whether the kept part begins or ends inside a line. */
  readonly isLineCut: boolean;
  /** Set when the output is no text: a hint at its type. */
  readonly binary?: string;
  /** Set when the output arrived truncated and was left alone. */
  readonly earlier?: EarlierTruncation;
}

/** The place of the piece that was left out. Line numbers from 1; a line cut in two is part of it. */
export interface Omitted {
  readonly fromLine?: number;
  readonly toLine?: number;
  readonly lines?: number;
  readonly bytes: number;
  /** The bytes of the output before it; absent for an output that is no text. */
  readonly fromByte?: number;
  /** For direction `both`: the lines of it that look like errors. */
  readonly errors?: ErrorLines;
}

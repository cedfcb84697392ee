import { isUtf8 } from "node:buffer";
import { isDeeperThan, type TranscriptLimits } from "./limits.ts";
import { recoverRecords } from "./recover.ts";
import type { Warnings } from "./transcript.ts";

export interface Line {
  readonly number: number;
  /** Without the line end (LF or CRLF); empty when the line is longer than the limit. */
  readonly bytes: Buffer;
  /** Length in bytes, also of a line that was too long to keep. */
  readonly size: number;
  /** False for a last line without a line end. */
  readonly ended: boolean;
}

const LF = 10;
const CR = 13;
const NOTHING = Buffer.alloc(0);

interface LineSplitter {
  /** The lines that this chunk completes. */
  push(chunk: Buffer): readonly Line[];
  /** The last line, if the bytes did not end with a line end. */
  end(): readonly Line[];
}

/** Cuts chunks of bytes into lines; a line longer than `maxBytes` is counted but not kept. */
export function createLineSplitter(maxBytes: number): LineSplitter {
  let number = 0;
  let pending: Buffer[] = [];
  let size = 0;

  const extend = (piece: Buffer): void => {
    size += piece.length;
    if (size > maxBytes) pending = [];
    else pending.push(piece);
  };

  const take = (ended: boolean): Line => {
    const [only] = pending;
    const whole = only !== undefined && pending.length === 1 ? only : Buffer.concat(pending);
    const bytes = size > maxBytes ? NOTHING : withoutCarriageReturn(whole);
    const line = { number: ++number, bytes, size, ended };
    pending = [];
    size = 0;
    return line;
  };

  return {
    push(chunk) {
      const lines: Line[] = [];
      let start = 0;
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, start)) {
        extend(chunk.subarray(start, at));
        lines.push(take(true));
        start = at + 1;
      }
      if (start < chunk.length) extend(chunk.subarray(start));
      return lines;
    },
    end: () => (size > 0 ? [take(false)] : []),
  };
}

/** The lines of a stream of bytes, in batches: one batch for each chunk that completes a line. */
export async function* splitLines(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<readonly Line[]> {
  const splitter = createLineSplitter(maxBytes);
  for await (const chunk of source) {
    const lines = splitter.push(chunk);
    if (lines.length > 0) yield lines;
  }
  const last = splitter.end();
  if (last.length > 0) yield last;
}

function withoutCarriageReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes;
}

interface LineRecords {
  readonly values: readonly unknown[];
  /** False when something in the line was lost. */
  readonly parsed: boolean;
}

export interface LineContext {
  readonly limits: TranscriptLimits;
  readonly warnings: Warnings;
}

const NONE: LineRecords = { values: [], parsed: false };
const BLANK: LineRecords = { values: [], parsed: true };

/** The text of a line, with replacement characters and a warning where it is not UTF-8. */
function lineText({ bytes, number }: Line, warnings: Warnings): string {
  if (!isUtf8(bytes)) {
    warnings.add("This line is not valid UTF-8; the wrong bytes were replaced.", number);
  }
  return bytes.toString();
}

/** Says that a line is above the limit; whether it is. */
function isTooLong({ size, number }: Line, { limits, warnings }: LineContext): boolean {
  if (size <= limits.lineBytes) return false;
  warnings.add(
    `This line has ${size} bytes, above the limit lineBytes of ${limits.lineBytes}; it was left out.`,
    number,
  );
  return true;
}

/** A line of plain text. */
export function lineTexts(line: Line, context: LineContext): LineRecords {
  return isTooLong(line, context)
    ? BLANK
    : { values: [lineText(line, context.warnings)], parsed: true };
}

/** The JSON values in a line: normally one, none in a blank line, two after an interrupted write. */
export function lineRecords(line: Line, context: LineContext): LineRecords {
  const { limits, warnings } = context;
  if (isTooLong(line, context)) return NONE;
  const text = lineText(line, warnings);
  const found = parse(text, line, warnings);
  const values = found.values.filter((value) => !isDeeperThan(value, limits.depth));
  if (values.length === found.values.length) return found;
  warnings.add(
    `A record in this line is nested deeper than the limit depth of ${limits.depth}; it was left out.`,
    line.number,
  );
  return { values, parsed: false };
}

function parse(text: string, line: Line, warnings: Warnings): LineRecords {
  if (text.trim() === "") return BLANK;
  try {
    return { values: [JSON.parse(text)], parsed: true };
  } catch {
    const { values, lossy } = recoverRecords(text);
    warnings.add(tornLine(values.length, lossy, line.ended), line.number);
    return { values, parsed: !lossy };
  }
}

function tornLine(records: number, lossy: boolean, ended: boolean): string {
  if (records > 0) {
    const rest = lossy ? "; what surrounds it is no valid JSON and was left out" : "";
    return `This line is no single JSON value: ${records} whole in it were read${rest}.`;
  }
  if (!ended) return "The last line is cut short; it was left out.";
  return "This line is no valid JSON; it was left out.";
}

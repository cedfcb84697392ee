import { isUtf8 } from "node:buffer";
import { isDeeperThan, type TranscriptLimits } from "./limits.ts";
import type { Line } from "./lines.ts";
import { recoverRecords } from "./recover.ts";
import type { Warnings } from "./warnings.ts";

/** What one line of a line format holds. */
export interface LineRecords {
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
export function lineText({ bytes, number }: Line, warnings: Warnings): string {
  if (!isUtf8(bytes)) {
    warnings.add("This line is not valid UTF-8; the wrong bytes were replaced.", number);
  }
  return bytes.toString();
}

/** Says that a line is above the limit; whether it is. */
export function isTooLong({ size, number }: Line, { limits, warnings }: LineContext): boolean {
  if (size <= limits.lineBytes) return false;
  warnings.add(
    `This line has ${size} bytes, above the limit lineBytes of ${limits.lineBytes}; it was left out.`,
    number,
  );
  return true;
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

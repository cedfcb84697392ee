import { findErrorLines } from "../../text/index.ts";
import { cleanText, safeCut } from "../plain-text.ts";

/** How much of a clipped text stays at its start; the end says how it came out. */
const START_SHARE = 0.35;
/** A clip of at least so many characters has room for the errors that it leaves out. */
const LEAST_FOR_ERRORS = 600;
const NAMED_ERRORS = 3;

/** How a text is clipped. */
export interface MiddleClip {
  /** At most so many UTF-16 units of the text stay. */
  readonly units: number;
  /** Whether lines of the middle that look like errors are named. @default false */
  readonly namesErrors?: boolean;
}

/**
 * A clean text, or both its ends with a note between them that says how much is left out. Cuts
 * never split a character.
 */
export function clipMiddle(text: string, { units, namesErrors = false }: MiddleClip): string {
  if (text.length <= units) return cleanText(text);
  const start = safeCut(text, Math.floor(units * START_SHARE));
  const end = safeCut(text, text.length - (units - start));
  const errors = namesErrors && units >= LEAST_FOR_ERRORS ? errorNote(text.slice(start, end)) : "";
  const note = `[… ${end - start} characters left out${errors} …]`;
  return [cleanText(text.slice(0, start)), note, cleanText(text.slice(end))]
    .filter((piece) => piece !== "")
    .join("\n");
}

function errorNote(middle: string): string {
  const { first } = findErrorLines(middle);
  if (first.length === 0) return "";
  const lines = first.slice(0, NAMED_ERRORS).map(({ text }) => text);
  return `, among them:\n${lines.join("\n")}\n`;
}

import { ESCAPE, showControls, wellFormed } from "./clean.ts";

/*
 * A text as a terminal would show it. A preview is for a model: colours say nothing to it, and of
 * a progress bar only the last state counts. The original keeps everything.
 */

/** The changes to a preview: things taken out or replaced. */
export interface Cleaning {
  /** Escape sequences (colours, cursor movements, titles, links). */
  readonly escapes: number;
  /** Pieces of lines that a carriage return or backspaces overwrote. */
  readonly overwritten: number;
  /** Control characters, shown as the pictures Unicode has for them (NUL as ␀). */
  readonly controls: number;
  /** Pieces that were no UTF-8, or halves of surrogate pairs; shown as U+FFFD. */
  readonly invalid: number;
}

export const NO_CLEANING: Cleaning = { escapes: 0, overwritten: 0, controls: 0, invalid: 0 };

/** Everything but text, tabs and line ends. */
// oxlint-disable-next-line no-control-regex
const DIRTY = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\p{Cs}|\r(?!\n)/u;

export function isDirty(text: string): boolean {
  return DIRTY.test(text);
}

/** A text as a terminal would leave it; line ends stay as they are. */
export function terminalText(text: string): {
  readonly text: string;
  readonly cleaning: Cleaning;
} {
  if (!isDirty(text)) return { text, cleaning: NO_CLEANING };
  const count = { escapes: 0, overwritten: 0, controls: 0, invalid: 0 };
  const pieces = text
    .replace(ESCAPE, () => {
      count.escapes++;
      return "";
    })
    .split("\n");
  const lines = pieces.map((line, index) => {
    const shown = overwriteLine(line, index < pieces.length - 1);
    count.overwritten += shown.overwritten;
    return shown.text;
  });
  const shown = showControls(lines.join("\n"), () => count.controls++);
  return { text: wellFormed(shown, () => count.invalid++), cleaning: count };
}

/** The last state of a line that carriage returns and backspaces wrote over. */
function overwriteLine(line: string, isEnded: boolean): { text: string; overwritten: number } {
  if (!line.includes("\r") && !line.includes("\b")) return { text: line, overwritten: 0 };
  const states = line.split("\r").filter((state) => state !== "");
  const last = states.at(-1) ?? "";
  const shown = last.includes("\b") ? eraseBack(last) : last;
  // The carriage return before a line end is a part of it.
  const text = isEnded && line.endsWith("\r") ? `${shown}\r` : shown;
  return { text, overwritten: text === line ? 0 : Math.max(1, states.length - 1) };
}

/** Every backspace takes back the character before it, as in the bold text of manual pages. */
function eraseBack(line: string): string {
  const shown: string[] = [];
  for (const character of line) {
    if (character === "\b") shown.pop();
    else shown.push(character);
  }
  return shown.join("");
}

export function addCleaning(a: Cleaning, b: Cleaning): Cleaning {
  return {
    escapes: a.escapes + b.escapes,
    overwritten: a.overwritten + b.overwritten,
    controls: a.controls + b.controls,
    invalid: a.invalid + b.invalid,
  };
}

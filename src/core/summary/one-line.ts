/* How commands, paths and texts are shown in a list. */

import { cleanText, oneLine } from "../text/clean.ts";
import { clip } from "../text/clip.ts";

/** A command is for recognising, not for running again: the whole one is in the archive. */
const COMMAND_LENGTH = 200;

/** A command on one line: the first line of a script says which one it is. */
export function shownCommand(command: string): string {
  const clean = cleanText(command);
  if (!clean.includes("\n")) return startOf(oneLine(clean), COMMAND_LENGTH);
  const lines = clean.split("\n").filter(isFilled);
  const more = lines.length > 1 ? ` … (${lines.length} lines)` : "";
  return `${startOf(oneLine(lines[0] ?? ""), COMMAND_LENGTH)}${more}`;
}

/** The start of a text; most texts are short. */
export function startOf(text: string, length: number): string {
  return text.length <= length ? text : clip(text, { length });
}

export function isFilled(text: string): boolean {
  return text.trim() !== "";
}

/** One line of text as inline code, fenced with more backticks than it has in a row. */
export function codeSpan(text: string): string {
  if (!text.includes("`")) return `\`${text}\``;
  const runs = text.match(/`+/g) ?? [];
  const fence = "`".repeat(runs.reduce((most, run) => Math.max(most, run.length), 0) + 1);
  const padding = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${padding}${text}${padding}${fence}`;
}

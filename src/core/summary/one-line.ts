/* Commands, paths and texts as a list shows them. */

import { cleanText, oneLine } from "../text/clean.ts";
import { clip } from "../text/clip.ts";

/** A command is for recognising, not for running again: the whole one is in the archive. */
const COMMAND_LENGTH = 200;

/** A command on one line, as it is called from the working directory: the first line of a script that does something says which one it is. */
export function shownCommand(command: string, cwd?: string): string {
  const clean = calledFrom(cwd, cleanText(command).replace(NOISE, ""));
  if (!clean.includes("\n")) return startOf(oneLine(clean), COMMAND_LENGTH);
  const lines = clean.split("\n").filter(isFilled);
  const more = lines.length > 1 ? ` … (${lines.length} lines)` : "";
  const does = Math.max(
    0,
    lines.findIndex((line) => !PREPARES.test(line)),
  );
  const way = lines.slice(0, does).filter((line) => line.startsWith("cd "));
  const shown = [...way, lines[does] ?? ""].join("; ");
  return `${startOf(oneLine(shown), COMMAND_LENGTH)}${more}`;
}

/** Lines that only prepare the next: a comment, a folder, a setting. */
const PREPARES = /^\s*(?:#.*|(?:cd|set|export|source)\s[^;&|]*|[A-Za-z_]\w*=\S*)$/;

/** Pieces that change nothing of a command: a line that it prints between others, errors shown or not. */
const NOISE = /(?<=^|[;&]\s*)echo (?:"[^"$`\n]*"|'[^'\n]*')\s*(?:;|&&)\s*|\s2>(?:&1|\/dev\/null)/g;
const CHANGES_FOLDER = /^cd (?:"([^"]*)"|'([^']*)'|([^\s;&|]+))\s*(?:;|&&)\s*/;

/** A command without its way to the working directory, and with names from there. */
function calledFrom(cwd: string | undefined, command: string): string {
  if (cwd === undefined || !command.includes(cwd)) return command;
  const [change = "", double, single, bare] = CHANGES_FOLDER.exec(command) ?? [];
  const isHere = (double ?? single ?? bare)?.replace(/\/$/, "") === cwd;
  const rest = isHere ? command.slice(change.length) : command;
  return rest.replaceAll(`${cwd}/`, (root, at: number) =>
    /[\w./~-]/.test(rest.charAt(at - 1)) ? root : "",
  );
}

/** The start of a text; most texts are short. */
export function startOf(text: string, length: number): string {
  return text.length <= length ? text : clip(text, { length });
}

/** The mark before an entry of a list, or a heading, where it came from. */
export const LIST_MARK: RegExp = /^[ \t]*(?:[-*•]|#{1,6})[ \t]+/;

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

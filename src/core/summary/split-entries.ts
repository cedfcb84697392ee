import { cleanText } from "./plain-text.ts";

const BULLET = /^\s*(?:[-*•]|\d{1,3}[.)])\s+(?=\S)/;
/** A line that is only a tag or a rule carries nothing, unless it is part of an item. */
const DECORATION = /^\s*(?:<\/?[\w-]+>|[-*_]{3,}|\(none\))\s*$/i;

/** One entry of a body: what it says, and how it stands there. */
export interface Block {
  /** Without its bullet, further lines without the indent of the item. */
  readonly text: string;
  /** Its lines as they are. */
  readonly raw: string;
  readonly isItem: boolean;
}

interface OpenEntry {
  readonly lines: string[];
  readonly raw: string[];
  /** How far its bullet is indented; absent for a paragraph. */
  readonly bullet?: number;
}

/**
 * The entries of a section's body: list items with the lines below them that are indented further,
 * and paragraphs. A label takes the list below it along, because it says what that is.
 */
export function splitEntries(body: string): readonly string[] {
  return splitBlocks(body).map(({ text }) => text);
}

/** {@link splitEntries} with the lines that each entry is made of. */
export function splitBlocks(body: string): readonly Block[] {
  const entries: OpenEntry[] = [];
  const lines = cleanText(body).split("\n");
  let afterBlank = false;
  let codeEnd = -1;
  for (const [at, line] of lines.entries()) {
    const last = entries.at(-1);
    const isBlank = line.trim() === "";
    const isCode = at <= codeEnd;
    if (isBlank || isCode) append(last, line);
    else if (last !== undefined && belongsTo(last, line, afterBlank)) append(last, line);
    else if (!DECORATION.test(line)) entries.push(openEntry(line));
    afterBlank = isBlank && !isCode;
    if (!isCode) codeEnd = fenceEnd(lines, at);
  }
  return entries.map(({ lines, raw, bullet }) => ({
    text: lines.join("\n").trimEnd(),
    raw: raw.join("\n").trimEnd(),
    isItem: bullet !== undefined,
  }));
}

const FENCE = /^(\s*(?:(?:[-*•]|\d{1,3}[.)])\s+)?)(`{3,}|~{3,})/;

/** Where the code ends that a line opens; -1 if it opens none, or none that ends in its item. */
function fenceEnd(lines: readonly string[], at: number): number {
  const opening = FENCE.exec(lines[at] ?? "");
  if (opening === null) return -1;
  const [, before = "", mark = ""] = opening;
  for (let end = at + 1; end < lines.length; end++) {
    const line = lines[end] ?? "";
    if (line.trim() !== "" && indentOf(line) < before.length) return -1;
    if (line.trim().startsWith(mark)) return end;
  }
  return -1;
}

function append(entry: OpenEntry | undefined, line: string): void {
  if (entry === undefined) return;
  const indent = (entry.bullet ?? 0) + 2;
  entry.raw.push(line);
  entry.lines.push(line.trim() === "" ? line.slice(indent) : withoutIndent(line, indent));
}

function openEntry(line: string): OpenEntry {
  const isItem = BULLET.test(line);
  if (!isItem) return { lines: [line.trim()], raw: [line] };
  return { lines: [line.replace(BULLET, "")], raw: [line], bullet: indentOf(line) };
}

function belongsTo({ lines, bullet }: OpenEntry, line: string, afterBlank: boolean): boolean {
  if (bullet !== undefined) return indentOf(line) > bullet;
  if (DECORATION.test(line)) return false;
  return BULLET.test(line) ? isLabel(lines[0] ?? "") : !afterBlank;
}

/** Whether a line says what the list below it is: it ends with a colon or is bold as a whole. */
export function isLabel(line: string): boolean {
  return /:(?:\*\*|__)?$/.test(line) || /^(\*\*|__)(?=\S)[^*_]+\1$/.test(line);
}

function indentOf(line: string): number {
  return line.search(/\S/);
}

/** Without so many spaces in front, or without all if there are fewer. */
function withoutIndent(line: string, spaces: number): string {
  return line.slice(Math.min(spaces, indentOf(line)));
}

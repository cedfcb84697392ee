import { applyEdits, type FormattingOptions, modify, parse, type ParseError } from "jsonc-parser";
import { ContextError } from "../core/error.ts";
import { isRecord } from "../core/text/json.ts";
import type { Change, JsonEntry } from "./plugin.ts";

/** A change to a file that is there, or is made by it. */
type Edit = Exclude<Change, { readonly type: "file" }>;

/**
 * The text of a file after a change. Doing it again changes nothing. Throws `ContextError` code
 * `unreadable-file` for a JSON file that is none: whatever is wrong with it is for its owner to mend.
 */
export function changedText(text: string, change: Change): string {
  if (change.type === "file") return change.content;
  if (change.type === "block") return withBlock(text, change);
  return change.entries.reduce((json, entry) => withEntry(json, entry, change.path), text);
}

/** The text of a file of which our change is taken back, whatever else has changed in it since. */
export function restoredText(text: string, change: Edit): string {
  if (change.type === "block") return withoutBlock(text, change);
  return change.entries.reduceRight((json, entry) => withoutEntry(json, entry, change.path), text);
}

const BEGIN =
  "# longhaul: begin (written by longhaul plugin; longhaul plugin --remove takes it out)";
const END = "# longhaul: end";

type Block = Extract<Change, { readonly type: "block" }>;

function withBlock(text: string, change: Block): string {
  const before = withoutBlock(text, change);
  const there = change.unless?.exec(before)?.[0];
  if (there !== undefined) throw alreadyThere(change.path, there.trim());
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  return `${before}${gap}${BEGIN}\n${change.text.trimEnd()}\n${END}\n`;
}

/**
 * Codex adds what a person decides at the end of its file, before our last line: whose hooks and
 * folders are trusted. That stays.
 */
function withoutBlock(text: string, { text: lines }: Block): string {
  const start = text.indexOf(`${BEGIN}\n`);
  const end = text.indexOf(`${END}\n`, start);
  if (start < 0 || end < 0) return text;
  const inside = text.slice(start + BEGIN.length + 1, end);
  const ours = `${lines.trimEnd()}\n`;
  // One of another form is an older one of ours.
  const added = inside.startsWith(ours) ? inside.slice(ours.length) : "";
  return text.slice(0, start) + added + text.slice(end + END.length + 1);
}

function withEntry(text: string, { at, value, how }: JsonEntry, file: string): string {
  const there = valueAt(parsed(text, file), at);
  if (how === "absent" && there !== undefined) return text;
  if (how !== "append") return edited(text, at, value);
  if (there === undefined) return edited(text, at, [value]);
  if (!Array.isArray(there)) throw notAList(file, at);
  return there.some((item) => isSame(item, value)) ? text : edited(text, [...at, -1], value);
}

function withoutEntry(text: string, { at, value, how }: JsonEntry, file: string): string {
  const there = valueAt(parsed(text, file), at);
  if (how !== "append") return isSame(there, value) ? withoutEmpty(text, at, file) : text;
  const index = Array.isArray(there) ? there.findIndex((item) => isSame(item, value)) : -1;
  if (index < 0) return text;
  return withoutEmpty(edited(text, [...at, index], undefined), at, file, true);
}

/** Takes a value out, and what holds nothing without it: we may have made that, and it says nothing. */
function withoutEmpty(text: string, at: readonly string[], file: string, isList = false): string {
  const there = valueAt(parsed(text, file), at);
  const isLeft = isList && Array.isArray(there) && there.length > 0;
  if (at.length === 0 || isLeft) return text;
  const without = edited(text, at, undefined);
  const parent = valueAt(parsed(without, file), at.slice(0, -1));
  const isEmpty = isRecord(parent) && Object.keys(parent).length === 0;
  return isEmpty ? withoutEmpty(without, at.slice(0, -1), file) : without;
}

function edited(text: string, at: readonly (string | number)[], value: unknown): string {
  const json = text.trim() === "" ? "{}" : text;
  const formattingOptions = { ...indentOf(json), insertFinalNewline: true };
  return applyEdits(json, modify(json, [...at], value, { formattingOptions }));
}

/** As the file is indented already. */
function indentOf(text: string): FormattingOptions {
  const [, indent = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  return { insertSpaces: !indent.startsWith("\t"), tabSize: indent.length, eol: "\n" };
}

function parsed(text: string, file: string): unknown {
  if (text.trim() === "") return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  if (errors.length === 0 && isRecord(value)) return value;
  throw new ContextError(
    "unreadable-file",
    `${file} is no JSON object, so nothing is added to it. Mend it first, at character ${errors[0]?.offset ?? 0}.`,
    { details: { file } },
  );
}

function valueAt(value: unknown, at: readonly string[]): unknown {
  return at.reduce<unknown>((holder, key) => (isRecord(holder) ? holder[key] : undefined), value);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function notAList(file: string, at: readonly string[]): ContextError {
  return new ContextError(
    "unreadable-file",
    `${file} has something else than a list under ${at.join(".")}, so nothing is added to it.`,
    { details: { file } },
  );
}

function alreadyThere(file: string, line: string): ContextError {
  return new ContextError(
    "unreadable-file",
    `${file} has ${line} already, so nothing is added to it. Take that out first, or leave it as it is.`,
    { details: { file } },
  );
}

import { changesFiles, type CallFacts } from "../calls/describe-call.ts";
import { isAbsolutePath, looksLikeFile } from "../calls/path.ts";
import { stepsThatWentWell } from "../calls/shell-text.ts";
import { clipLine } from "../text/clip.ts";
import { failureLines, toldLines } from "../text/errors.ts";
import type { ErrorFact, FileFact, FileOp } from "./ledger.ts";
import type { FileAccess } from "../calls/index.ts";

/** Collects what happened to files; one entry for all names of a file. */
export interface FileBook {
  /** `made`: what the tool itself said about a `write`: that the file is new, or that it is not. */
  add(access: FileAccess, at: number, made?: "created" | "modified"): void;
  facts(): FileFact[];
}

interface FileEntry {
  path: string;
  ops: readonly FileOp[];
  last: number;
  /** Order of accesses, finer than messages. */
  step: number;
}

/** @param keyOf The same key for all names of a file. */
export function createFileBook(keyOf: (path: string) => string): FileBook {
  const entries = new Map<string, FileEntry>();
  /** Deleted folders by their key. */
  const folders = new Map<string, FileEntry>();
  let step = 0;

  const isGone = (key: string, entry: FileEntry): boolean =>
    entry.ops.at(-1) === "deleted" || deletedWith(key, entry) !== undefined;

  /** The newest deletion of a folder around a file, if it came after the file was last touched. */
  const deletedWith = (key: string, entry: FileEntry): FileEntry | undefined => {
    if (folders.size === 0) return undefined;
    const folder = newestAround(key, folders, (one) => one.step);
    return folder !== undefined && folder.step > entry.step ? folder : undefined;
  };

  const opOf = ({ op }: FileAccess, isKnown: boolean, made?: FileOp): FileOp => {
    if (op === "read") return "read";
    if (op === "delete") return "deleted";
    if (isKnown || op === "edit") return "modified";
    return made ?? "created";
  };

  const add: FileBook["add"] = (access, at, made) => {
    step++;
    const key = keyOf(access.path);
    const known = entries.get(key);
    if (access.recursive === true && known === undefined && !looksLikeFile(access.path)) {
      const path = `${access.path.replace(/\/$/, "")}/`;
      folders.set(key, { path, ops: ["deleted"], last: at, step });
      return;
    }
    const isKnown = known !== undefined && !isGone(key, known);
    const op = opOf(access, isKnown, made);
    if (known === undefined) {
      entries.set(key, { path: access.path, ops: [op], last: at, step });
      return;
    }
    note(known, op, { at, step });
    if (isAbsolutePath(access.path) && !isAbsolutePath(known.path)) known.path = access.path;
  };

  const asItIs = (key: string, entry: FileEntry): FileEntry => {
    const folder = deletedWith(key, entry);
    if (folder === undefined) return entry;
    const gone = { ...entry };
    note(gone, "deleted", { at: folder.last, step: folder.step });
    return gone;
  };

  const facts = (): FileFact[] => {
    const files =
      folders.size === 0
        ? [...entries.values()]
        : Array.from(entries, ([key, entry]) => asItIs(key, entry));
    return [...files, ...folders.values()].toSorted((a, b) => a.step - b.step).map(fileFact);
  };

  return { add, facts };
}

function fileFact({ path, ops, last }: FileEntry): FileFact {
  return { path, ops, last };
}

function note(entry: FileEntry, op: FileOp, when: { at: number; step: number }): void {
  if (entry.ops.at(-1) !== op) entry.ops = [...entry.ops.filter((earlier) => earlier !== op), op];
  entry.last = when.at;
  entry.step = when.step;
}

/** Collects failures and remembers which of them later went well. */
export interface ErrorBook {
  fail(toolName: string, facts: CallFacts, failure: { text: string; at: number }): void;
  succeed(toolName: string, facts: CallFacts): void;
  facts(): ErrorFact[];
}

type Tried = "read" | "change" | "command" | "tool";

/** @param keyOf The same key for all names of a file. */
export function createErrorBook(keyOf: (path: string) => string): ErrorBook {
  const errors: ErrorFact[] = [];
  const resolved = new Set<number>();
  /** Places of the errors that stand, by what was tried and on what. */
  const open: Readonly<Record<Tried, Map<string, number[]>>> = {
    read: new Map(),
    change: new Map(),
    command: new Map(),
    tool: new Map(),
  };

  const settle = (tried: Tried, name: string): void => {
    for (const index of open[tried].get(name) ?? []) resolved.add(index);
    open[tried].delete(name);
  };

  const fail: ErrorBook["fail"] = (toolName, facts, { text, at }) => {
    const tried = triedBy(facts);
    const subject = failedSubject(facts);
    const isFile = tried === "read" || tried === "change";
    const name = isFile ? keyOf(subject) : nameOf(tried, toolName, facts);
    const same = open[tried].get(name);
    if (same === undefined) open[tried].set(name, [errors.length]);
    else same.push(errors.length);
    errors.push({ tool: toolName, subject, text, at, resolved: false });
  };

  const succeed: ErrorBook["succeed"] = (toolName, facts) => {
    const tried = triedBy(facts);
    if (tried === "command" || tried === "tool") {
      if (open[tried].size === 0) return;
      settle(tried, nameOf(tried, toolName, facts));
      for (const step of facts.commands.flatMap(stepsThatWentWell)) settle("command", step);
    } else if (open.read.size + open.change.size > 0) {
      for (const { path } of facts.files) {
        const key = keyOf(path);
        // A file that was changed could also be read.
        settle("read", key);
        if (tried === "change") settle("change", key);
      }
    }
  };

  const facts = (): ErrorFact[] =>
    errors.map((error, index) => (resolved.has(index) ? { ...error, resolved: true } : error));

  return { fail, succeed, facts };
}

const COMMAND_UNITS = 300;

/** A command as the subject of an error: long enough to tell attempts apart. */
export function commandSubject(commands: readonly string[]): string {
  return clipLine(commands.join("; "), COMMAND_UNITS);
}

function failedSubject(facts: CallFacts): string {
  if (facts.kind === "command") return commandSubject(facts.commands) || facts.subject;
  return isAboutFile(facts) ? (facts.files[0]?.path ?? facts.subject) : facts.subject;
}

function isAboutFile({ kind, files }: CallFacts): boolean {
  return (kind === "read" || changesFiles(kind)) && files.length > 0;
}

function triedBy(facts: CallFacts): Tried {
  if (facts.kind === "command") return "command";
  if (!isAboutFile(facts)) return "tool";
  return facts.kind === "read" ? "read" : "change";
}

/** The attempt, whole: only the very same thing settles it, alone or as a step of more. */
function nameOf(tried: "command" | "tool", toolName: string, facts: CallFacts): string {
  return tried === "command" ? facts.commands.join("\n") : `${toolName} ${facts.subject}`;
}

const LINES = 4;
const LINE_UNITS = 240;

/** The first lines of a failed output that say what went wrong, else its first lines. */
export function tellingLines(output: string): string {
  const telling = failureLines(output, LINES, LINE_UNITS);
  if (telling.length > 0) return telling.join("\n");
  const first = toldLines(output).slice(0, LINES);
  return first.map((line) => clipLine(line, LINE_UNITS)).join("\n");
}

/** The newest of the folders around a file, by their keys. */
export function newestAround<Folder>(
  key: string,
  folders: ReadonlyMap<string, Folder>,
  timeOf: (folder: Folder) => number,
): Folder | undefined {
  let newest: Folder | undefined;
  for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) {
    const folder = folders.get(key.slice(0, end));
    if (folder === undefined) continue;
    if (newest === undefined || timeOf(folder) > timeOf(newest)) newest = folder;
  }
  return newest;
}

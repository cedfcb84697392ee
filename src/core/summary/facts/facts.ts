import type { CommandFact, FileOp } from "../../ledger/index.ts";
import type { Handle } from "../../message/index.ts";
import type { CoreSectionId } from "../template.ts";
import { cleanText, clipStart, oneLine } from "../plain-text.ts";

/** What an extractive summary can say about a file. */
export interface FileMention {
  readonly path: string;
  readonly ops: readonly FileOp[];
  /** What an earlier summary said of it. */
  readonly role?: string;
}

export interface CommandRuns {
  readonly command: string;
  /** Of the newest run. */
  readonly outcome: CommandFact["outcome"];
  readonly exitCode?: number;
  readonly runs: number;
}

export interface OpenError {
  readonly tool: string;
  readonly subject: string;
  readonly text: string;
}

/** Facts that earlier summaries had no room for: how many, and the heads that hold them. */
export interface HiddenFacts {
  readonly count: number;
  /** Newest first. */
  readonly handles: readonly Handle[];
}

/**
 * The content of a summary before it is written: from a ledger, from an earlier summary, or both
 * merged. Every list has the newest first; every text is clean.
 */
export interface Facts {
  readonly firstRequest?: string;
  readonly newestRequest?: string;
  readonly instructions: readonly string[];
  readonly errors: readonly OpenError[];
  /** Subjects of commands and errors that this knows the state of. */
  readonly settled: ReadonlySet<string>;
  readonly statements: readonly string[];
  readonly environment: readonly string[];
  readonly files: readonly FileMention[];
  readonly commands: readonly CommandRuns[];
  readonly done: readonly string[];
  readonly open: readonly string[];
  /** Whether `done` and `open` are a whole todo list, which replaces an older one. */
  readonly hasTodos: boolean;
  /** What an earlier summary says in words of its own, by section. */
  readonly notes: ReadonlyMap<CoreSectionId, readonly string[]>;
  /** Sections beyond the five core ones, by id or heading. */
  readonly others: ReadonlyMap<string, readonly string[]>;
  /** By what they are, e.g. `commands`. */
  readonly hidden: ReadonlyMap<string, HiddenFacts>;
}

export const NO_FACTS: Facts = {
  instructions: [],
  errors: [],
  settled: new Set<string>(),
  statements: [],
  environment: [],
  files: [],
  commands: [],
  done: [],
  open: [],
  hasTodos: false,
  notes: new Map(),
  others: new Map(),
  hidden: new Map(),
};

/** The first lines of a request say what it is about. */
const REQUEST_LENGTH = 240;
const REQUEST_LINES = 2;

/** The first lines of a request, short enough for a goal. */
export function requestStart(text: string): string {
  const lines = cleanText(text)
    .split("\n")
    .filter((line) => line.trim() !== "");
  return clipStart(oneLine(lines.slice(0, REQUEST_LINES).join(" ")), REQUEST_LENGTH);
}

/** What became of a file in the end; `ops` as in a `FileFact`, each at its last place. */
export function fileState(ops: readonly FileOp[]): FileOp {
  if (ops.at(-1) === "deleted") return "deleted";
  if (ops.includes("created")) return "created";
  // Deleted and then used again: it came back in a way that nobody saw.
  return ops.includes("modified") || ops.includes("deleted") ? "modified" : "read";
}

/** Each text once, at its first place; no empty ones. */
export function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== "");
}

/** What makes two errors the same one. */
export function errorKey({ tool, subject, text }: OpenError): string {
  return subject === "" ? text : `${tool} ${subject}`;
}

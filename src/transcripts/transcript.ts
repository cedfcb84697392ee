import type { Message, Usage } from "../core/message/index.ts";

/** Something in the file that could not be read as it stood. */
export interface TranscriptWarning {
  /** 1-based line, for formats made of lines. */
  readonly line?: number;
  readonly message: string;
}

/** Fill of the window when a step was made, as the agent recorded it. */
export interface ContextSample {
  /** ms since the epoch, if recorded. */
  readonly time?: number;
  /** Input, cached input and output tokens of that request together. */
  readonly tokens: number;
}

/** The usage of one request to a model, as the agent recorded it. */
export interface RequestUsage {
  /** Of the provider's answer, where it is recorded: the same in every copy of it. */
  readonly id?: string;
  /** ms since the epoch, if recorded. */
  readonly time?: number;
  readonly model?: string;
  readonly usage: Usage;
  /** So many requests together, where the agent reports no single ones. @default 1 */
  readonly requests?: number;
  /** Of `usage.cacheWrite`, what is cached for an hour, which costs more than five minutes. */
  readonly cacheWriteHour?: number;
  /** US dollars, where the agent itself has reckoned. */
  readonly cost?: number;
}

export interface Conversation {
  readonly id?: string;
  readonly title?: string;
  /**
   * The effective context: what the model would have seen next. Edits that the agent itself made
   * are honoured: its summary stands for the head (a message of kind `summary`), pruned outputs are
   * `original`-less placeholders as the agent sent them.
   */
  readonly messages: readonly Message[];
  /** The system prompt, where the file keeps it beside the messages. */
  readonly instructions?: string;
  readonly model?: string;
  /** The model's provider, as the agent calls it. */
  readonly provider?: string;
  /** The model's context window in tokens, where the file says so. */
  readonly window?: number;
  readonly cwd?: string;
  readonly startedAt?: number;
  readonly updatedAt?: number;
  /** From first to last over the whole file, compactions included. */
  readonly timeline: readonly ContextSample[];
  /** Every request of the file, those of its sub-agents included; absent where it reports none. */
  readonly requests?: readonly RequestUsage[];
}

/** The facts of a conversation beside what was said, as a reader gathers them. */
export type About = {
  -readonly [Name in keyof Omit<Conversation, "messages" | "timeline">]?: Conversation[Name];
};

/** The result of a format's reader. */
export interface Reading {
  /** Version of the agent or of the file format, if the file says so. */
  readonly version?: string;
  readonly conversations: readonly Conversation[];
  /** The number of compactions by the agent itself, over the whole file. */
  readonly compactions: number;
  readonly warnings: readonly TranscriptWarning[];
}

export interface Transcript extends Reading {
  /** Name of the format, e.g. `claude-code`. */
  readonly format: string;
  /** Lines of a line format that nothing could be made of. */
  readonly unparsableLines: number;
}

/** `true`, or one clause that says why the content is not of this format. */
export type Detection = true | string;

/** The names of a format. */
export interface FormatName {
  /** Stable name, e.g. `claude-code`. */
  readonly name: string;
  /** For people, e.g. `Claude Code session`. */
  readonly title: string;
  /** The place where its agent keeps such files, for help texts; e.g. `~/.claude/projects/…/*.jsonl`. */
  readonly location?: string;
}

/** Takes the records of a line format one by one; of a text, its lines without their line ends. */
export interface RecordReader {
  record(value: unknown, line: number): void;
  finish(): Reading;
}

/** Reads one JSON value a line, or one line of text. */
export interface RecordsReader {
  open(): RecordReader;
}

/** Reads one JSON document. */
export interface DocumentReader {
  read(document: unknown, state?: DocumentState): Reading;
}

/** One JSON value a line. */
export interface RecordsFormat extends FormatName {
  readonly shape: "records";
  /** Looks at the first records (at most 50). */
  detect(records: readonly unknown[]): Detection;
  load(): Promise<RecordsReader>;
}

/** The state of a document before it was read. */
export interface DocumentState {
  /** It was cut short and closed by us; its last message is not whole. @default false */
  readonly isTorn?: boolean;
}

/** One JSON document. */
export interface DocumentFormat extends FormatName {
  readonly shape: "document";
  detect(document: unknown): Detection;
  load(): Promise<DocumentReader>;
}

/** Plain text. */
export interface TextFormat extends FormatName {
  readonly shape: "text";
  /** Looks at the first 64 KB. */
  detect(head: string): Detection;
  load(): Promise<RecordsReader>;
}

export type TranscriptFormat = RecordsFormat | DocumentFormat | TextFormat;

/** Parts of a session that may not be in its file. */
const GAPS = {
  parent:
    "A line goes on from one that is not in this file: an earlier part of the session is missing.",
  summary:
    "The summary of the last compaction is not in this file: what it stood for is missing in the context.",
  sealed:
    "The summary of the last compaction can be read by its provider alone; for anybody else, what it stands for is missing.",
} as const;

/** Collects warnings up to a number, so that a broken gigabyte does not make a gigabyte of them. */
export interface Warnings {
  add(message: string, line?: number): void;
  /** A part of the session is not in the file; told once for each kind, with its first line. */
  missing(what: keyof typeof GAPS, line?: number): void;
  list(): readonly TranscriptWarning[];
}

/** The most warnings that one format's reader keeps. */
const FORMAT_WARNINGS = 100;

/** An empty collection that keeps the first `max` warnings and counts the others. */
export function createWarnings(max: number = FORMAT_WARNINGS): Warnings {
  const kept: TranscriptWarning[] = [];
  const told = new Set<string>();
  let more = 0;
  const add: Warnings["add"] = (message, line) => {
    if (kept.length >= max) more += 1;
    else kept.push(line === undefined ? { message } : { line, message });
  };
  return {
    add,
    missing(what, line) {
      if (!told.has(what)) add(GAPS[what], line);
      told.add(what);
    },
    list() {
      return more === 0 ? [...kept] : [...kept, { message: `There were ${more} more warnings.` }];
    },
  };
}

import type { Message } from "../core/message/index.ts";

/** What a whole file holds, before any compaction that the agent itself did is honoured. */
export interface TranscriptCounts {
  readonly messages: number;
  /** Turns that a person typed; reminders, notices and tool results are none. */
  readonly typedUserTurns: number;
  readonly toolCalls: number;
  readonly toolCallIdsUnique: number;
  readonly toolResults: number;
  readonly callsWithoutResult: number;
  readonly resultsWithoutCall: number;
  readonly messagesWithParallelCalls: number;
  readonly failedResults: number;
  readonly thinkingBlocks: number;
  readonly images: number;
  readonly compactions: number;
  readonly prunedOutputs: number;
  readonly unparsableLines: number;
}

/** Something in the file that could not be read as it stood. */
export interface TranscriptWarning {
  /** 1-based line, for formats made of lines. */
  readonly line?: number;
  readonly message: string;
}

/** How full the window was when a step was made, as the agent recorded it. */
export interface ContextSample {
  /** ms since the epoch, if recorded. */
  readonly time?: number;
  /** Input, cached input and output tokens of that request together. */
  readonly tokens: number;
}

export interface Conversation {
  readonly id?: string;
  readonly title?: string;
  /**
   * The effective context: what the model would have seen next. What the agent itself compacted,
   * pruned or spilled is honoured: its summary stands for the head (a message of kind `summary`),
   * pruned outputs are `original`-less placeholders as the agent sent them.
   */
  readonly messages: readonly Message[];
  /** The system prompt, where the file keeps it beside the messages. */
  readonly instructions?: string;
  readonly model?: string;
  /** The model's context window in tokens, where the file says so. */
  readonly window?: number;
  readonly cwd?: string;
  readonly startedAt?: number;
  readonly updatedAt?: number;
  /** From first to last over the whole file, compactions included. */
  readonly timeline: readonly ContextSample[];
}

/** What a format's reader returns. */
export interface Reading {
  /** Version of the agent or of the file format, if the file says so. */
  readonly version?: string;
  readonly conversations: readonly Conversation[];
  readonly counts: Omit<TranscriptCounts, "unparsableLines">;
  readonly warnings: readonly TranscriptWarning[];
}

export interface Transcript extends Reading {
  /** Name of the format, e.g. `claude-code`. */
  readonly format: string;
  readonly counts: TranscriptCounts;
}

/** `true`, or one clause that says why the content is not of this format. */
export type Detection = true | string;

interface FormatBase {
  /** Stable name, e.g. `claude-code`. */
  readonly name: string;
  /** For people, e.g. `Claude Code session`. */
  readonly title: string;
  /** Where its agent keeps such files, for help texts; e.g. `~/.claude/projects/…/*.jsonl`. */
  readonly location?: string;
}

/** Takes the records of a line format one by one. */
export interface RecordReader {
  record(value: unknown, line: number): void;
  finish(): Reading;
}

/** Takes the lines of a text format one by one, without their line ends. */
export interface TextReader {
  line(text: string, line: number): void;
  finish(): Reading;
}

/** One JSON value a line. */
export interface RecordsFormat extends FormatBase {
  readonly shape: "records";
  /** Looks at the first records (at most 50). */
  detect(records: readonly unknown[]): Detection;
  open(): RecordReader;
}

/** What became of a document before it was read. */
export interface DocumentState {
  /** It was cut short and closed by us; its last message is not whole. @default false */
  readonly isTorn?: boolean;
}

/** One JSON document. */
export interface DocumentFormat extends FormatBase {
  readonly shape: "document";
  detect(document: unknown): Detection;
  read(document: unknown, state?: DocumentState): Reading;
}

/** Plain text. */
export interface TextFormat extends FormatBase {
  readonly shape: "text";
  /** Looks at the first 64 KB. */
  detect(head: string): Detection;
  open(): TextReader;
}

export type TranscriptFormat = RecordsFormat | DocumentFormat | TextFormat;

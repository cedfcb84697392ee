import type { Message } from "../core/message/index.ts";
import { type Fields, fieldsOf } from "../core/text/json.ts";
import { transcriptFormats } from "./formats.ts";
import { list, number } from "./lenient.ts";
import { readTranscript, type ReadTranscriptOptions } from "./read.ts";
import type { TranscriptInput } from "./source.ts";
import type {
  Conversation,
  DocumentReader,
  Reading,
  RecordReader,
  RecordsReader,
  TranscriptFormat,
} from "./transcript.ts";

/** Of a session that was edited more often, the windows before the newest edits are read. */
const MOST_WINDOWS = 24;

/**
 * The line formats whose agents leave in the file what they edit away: whether the agent compacts with a
 * record, or prunes outputs.
 */
const LINES: Readonly<Record<string, (record: Fields) => boolean>> = {
  "claude-code": ({ subtype, isSidechain }) =>
    isSidechain !== true && (subtype === "compact_boundary" || subtype === "microcompact_boundary"),
  codex: ({ type }) => type === "compacted",
  pi: ({ type }) => type === "compaction",
  // The whole history anew: compressed, or with outputs masked.
  "gemini-cli": ({ $set }) => Array.isArray(fieldsOf($set)["messages"]),
  "qwen-code": ({ subtype }) => subtype === "chat_compression",
  "copilot-cli": ({ type, data }) =>
    type === "session.compaction_complete" && fieldsOf(data)["success"] !== false,
  openhands: isCondensation,
};

function isCondensation({ action, kind }: Fields): boolean {
  return action === "condensation" || kind === "Condensation";
}

/** The same of documents: as they were before each edit, oldest first. */
const DOCUMENTS: Readonly<Record<string, (document: unknown) => readonly unknown[]>> = {
  opencode: (document) => exportsBefore(fieldsOf(document)),
  openhands: (document) => beginnings(document, "history", isCondensation),
  cline: (document) =>
    beginnings(
      document,
      "messages",
      ({ isSummary, isTruncationMarker }) => isSummary === true || isTruncationMarker === true,
    ),
};

/** A list, or a document with one in a field, up to each entry that is an edit. */
function beginnings(
  document: unknown,
  field: string,
  isEdit: (entry: Fields) => boolean,
): readonly unknown[] {
  const entries = Array.isArray(document) ? list(document) : list(fieldsOf(document)[field]);
  return entries.flatMap((entry, at) => {
    if (!isEdit(fieldsOf(entry))) return [];
    const before = entries.slice(0, at);
    return [Array.isArray(document) ? before : { ...fieldsOf(document), [field]: before }];
  });
}

/**
 * The windows that the model saw just before each edit that the agent itself made (a compaction, a round of
 * pruning), oldest first. Nothing for a session without any, and for formats that do not keep what
 * was edited away. Throws what `readTranscript` throws.
 */
export async function readWindows(
  input: TranscriptInput,
  options: ReadTranscriptOptions & { readonly format: string },
): Promise<readonly (readonly Message[])[]> {
  const known = transcriptFormats.filter(({ name }) => name === options.format);
  if (!known.some(({ name, shape }) => Object.hasOwn(KEPT[shape], name))) return [];
  const formats = known.map(withWindows);
  const { conversations } = await readTranscript(input, { ...options, formats });
  return conversations.map(({ messages }) => messages);
}

const KEPT = { records: LINES, document: DOCUMENTS, text: {} };

/**
 * A format whose conversations are the windows of the one conversation in a file; one that is kept in
 * two shapes may tell of its edits in one of them alone.
 */
function withWindows(format: TranscriptFormat): TranscriptFormat {
  if (format.shape === "document") {
    const before = DOCUMENTS[format.name] ?? (() => []);
    const load = async (): Promise<DocumentReader> => {
      const reader = await format.load();
      const windows = (value: unknown) => before(value).slice(-MOST_WINDOWS);
      return { read: (value) => together(windows(value).map((one) => reader.read(one))) };
    };
    return { ...format, load };
  }
  const isEdit = LINES[format.name] ?? (() => false);
  const load = async (): Promise<RecordsReader> => {
    const reader = await format.load();
    return { open: () => readBeginnings(reader, isEdit) };
  };
  return { ...format, load };
}

/** Readers say how a file ends, and so of each beginning of it how that ends. */
function readBeginnings(reader: RecordsReader, isEdit: (record: Fields) => boolean): RecordReader {
  const records: (readonly [value: unknown, line: number])[] = [];
  const ends: number[] = [];
  return {
    record(value, line) {
      if (isEdit(fieldsOf(value))) ends.push(records.length);
      records.push([value, line]);
    },
    finish() {
      const windows = ends.slice(-MOST_WINDOWS).map((end) => {
        const open = reader.open();
        for (const [value, line] of records.slice(0, end)) open.record(value, line);
        return open.finish();
      });
      return together(windows);
    },
  };
}

/** Rounds of pruning come at one moment; between two of them there is a request at least. */
const ONE_ROUND_MS = 2_000;

/** An export has the time of each edit, so that it can be read as it was before. */
function exportsBefore(document: Fields): readonly Fields[] {
  const messages = list(document["messages"]).map(fieldsOf);
  const times = messages.flatMap(editTimes).toSorted((one, other) => one - other);
  const rounds = times.filter((time, at) => at === 0 || time - (times[at - 1] ?? 0) > ONE_ROUND_MS);
  return rounds.slice(-MOST_WINDOWS).map((time) => {
    return { ...document, messages: messages.flatMap((one) => beforeEdit(one, time)) };
  });
}

function editTimes(message: Fields): number[] {
  const info = fieldsOf(message["info"]);
  const own = info["summary"] === true ? madeAt(message) : undefined;
  const pruned = list(message["parts"]).map((part) => prunedAt(fieldsOf(part)));
  return [own, ...pruned].filter((time) => time !== undefined);
}

function madeAt(message: Fields): number | undefined {
  return number(fieldsOf(fieldsOf(message["info"])["time"])["created"]);
}

function prunedAt(part: Fields): number | undefined {
  return number(fieldsOf(fieldsOf(part["state"])["time"])["compacted"]);
}

/** A message as it was at a time; nothing if it came later. */
function beforeEdit(message: Fields, time: number): Fields[] {
  if ((madeAt(message) ?? 0) >= time) return [];
  const parts = list(message["parts"]).map((part) => {
    const fields = fieldsOf(part);
    if ((prunedAt(fields) ?? 0) < time) return part;
    const state = fieldsOf(fields["state"]);
    const { compacted: _, ...rest } = fieldsOf(state["time"]);
    return { ...fields, state: { ...state, time: rest } };
  });
  return [{ ...message, parts }];
}

function together(readings: readonly Reading[]): Reading {
  const conversations = readings.map(({ conversations: [first] }) => first);
  return {
    conversations: conversations.filter((one): one is Conversation => one !== undefined),
    compactions: 0,
    warnings: [],
  };
}

import type { Message } from "../../core/message/message.ts";
import { type Fields, fieldsOf, isRecord } from "../../core/text/json.ts";
import { type CallPairing, createCallPairing } from "../call-pairing.ts";
import { createTree, newest, requestsOf, textParts, timelineOf, withSource } from "../content.ts";
import { instant, list, number, record, text } from "../lenient.ts";
import { decodeMessage, injected, partsOf, type PiContent } from "./message.ts";
import { createWarnings, type Reading, type RecordReader, type Warnings } from "../transcript.ts";

/** A session of the pi coding agent: linear in version 1, a tree of entries in versions 2 and 3. */
export const pi = { open };

interface Content extends PiContent {
  readonly compaction?: Compaction;
  readonly time?: number;
  readonly provider?: string;
  readonly title?: string;
}

/** The start of the kept tail of a compaction: an entry's id, or in version 1 its index. */
interface Compaction {
  /** Absent where it is not in the file. */
  readonly summary?: Message;
  readonly firstKeptId?: string;
  readonly firstKeptIndex?: number;
}

interface Entry extends Content {
  readonly id?: string;
  /** Version 1 counts entries by their lines, the header being 0. */
  readonly line: number;
}

interface State {
  readonly tree: ReturnType<typeof createTree<Entry>>;
  readonly warnings: Warnings;
  header?: Fields;
  headerLine: number;
}

function open(): RecordReader {
  const calls = createCallPairing();
  const warnings = createWarnings();
  const state: State = { tree: createTree(warnings), warnings, headerLine: 1 };
  return {
    record(value, line) {
      const fields = fieldsOf(value);
      if (fields["type"] === "session" && state.header === undefined) {
        state.header = fields;
        state.headerLine = line;
        return;
      }
      const content = decodeLine(fields, calls);
      if (content === undefined) return warnings.add("This is no entry of a pi session.", line);
      state.tree.add({ ...content, id: text(fields["id"]), line }, line, fields);
    },
    finish: () => finish(state),
  };
}

function finish(state: State): Reading {
  const { header = {}, tree, warnings } = state;
  const [entries, branch] = [tree.all(), tree.lastBranch()];
  const conversation = {
    id: text(header["id"]),
    title: newest(branch, "title"),
    messages: effectiveMessages(branch, state),
    model: newest(branch, "model") ?? text(header["modelId"]),
    provider: newest(branch, "provider"),
    cwd: text(header["cwd"]),
    startedAt: instant(header["timestamp"]),
    updatedAt: newest(entries, "time"),
    timeline: timelineOf(entries),
    requests: requestsOf(entries),
  };
  return {
    version: String(number(header["version"]) ?? 1),
    conversations: [conversation],
    compactions: entries.filter((entry) => entry.compaction !== undefined).length,
    warnings: warnings.list(),
  };
}

/** After a compaction: its summary, what it kept from before, and what came since. */
function effectiveMessages(branch: readonly Entry[], state: State): Message[] {
  const at = branch.findLastIndex((entry) => entry.compaction !== undefined);
  const { compaction, line } = branch[at] ?? {};
  if (compaction === undefined) return sentMessages(branch);
  const { summary } = compaction;
  if (summary === undefined) state.warnings.missing("summary", line);
  const kept = sentMessages(branch.slice(firstKept(branch, at, state), at));
  const since = sentMessages(branch.slice(at + 1));
  return [...(summary === undefined ? [] : [summary]), ...kept, ...since];
}

/** The first of the entries that the compaction at `at` keeps; `at` itself if they are not there. */
function firstKept(branch: readonly Entry[], at: number, state: State): number {
  const { firstKeptId, firstKeptIndex } = branch[at]?.compaction ?? {};
  if (firstKeptId !== undefined && firstKeptId === branch[at]?.id) return at;
  const line = state.headerLine + (firstKeptIndex ?? Number.NaN);
  const from = branch.findIndex((entry) =>
    firstKeptId === undefined ? entry.line >= line : entry.id === firstKeptId,
  );
  if (from !== -1 && from < at) return from;
  state.warnings.add(
    "The first entry that this compaction keeps is missing; nothing from before it is kept.",
    branch[at]?.line,
  );
  return at;
}

/** An aborted reply can be empty; such a message is nothing to send. */
function sentMessages(branch: readonly Entry[]): Message[] {
  return branch.flatMap(({ message }) => (message?.parts.length ? [message] : []));
}

/** `undefined` for what is no entry of a pi session. */
function decodeLine(line: Fields, calls: CallPairing): Content | undefined {
  const { type, message, content, summary } = line;
  const time = instant(line["timestamp"]);
  switch (type) {
    case "message":
      if (!isRecord(message)) return undefined;
      return { time, ...withSource(decodeMessage(message, time, calls), "pi", message) };
    case "custom_message":
      return { time, message: injected(partsOf(content), time) };
    case "branch_summary":
      return { time, message: injected(textParts(summary), time) };
    case "compaction":
      return { time, compaction: decodeCompaction(line, time) };
    case "model_change":
      return { time, model: text(line["modelId"]), provider: text(line["provider"]) };
    case "session_info":
      return { time, title: text(line["name"]) };
    default:
      return typeof type === "string" ? { time } : undefined;
  }
}

function decodeCompaction(line: Fields, time: number | undefined): Compaction {
  const details = record(line["details"]);
  const metadata = {
    tokensBefore: number(line["tokensBefore"]),
    readFiles: details && list(details["readFiles"]),
    modifiedFiles: details && list(details["modifiedFiles"]),
  };
  const parts = textParts(line["summary"]);
  return {
    summary:
      parts.length > 0 ? { role: "user", parts, time, kind: "summary", metadata } : undefined,
    firstKeptId: text(line["firstKeptEntryId"]),
    firstKeptIndex: number(line["firstKeptEntryIndex"]),
  };
}

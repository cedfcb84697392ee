import type { Message } from "../../core/message/message.ts";
import { type Fields, fieldsOf } from "../../core/text/json.ts";
import { createCallPairing } from "../call-pairing.ts";
import { createTree, newest, requestsOf, spanOf, timelineOf } from "../content.ts";
import { decodeRecord, type Entry } from "../gemini-record.ts";
import { instant, list, number, records, text } from "../lenient.ts";
import { createWarnings, type Reading, type RecordReader } from "../transcript.ts";

/**
 * A session of Qwen Code: a tree of lines by their parents, whose messages are turns of the Gemini API.
 * A compression holds the history that it leaves.
 */
export const qwenCode = { open };

function open(): RecordReader {
  const warnings = createWarnings();
  const tree = createTree<Fields>(warnings);
  return {
    record(value, line) {
      const fields = fieldsOf(value);
      const { uuid: id, parentUuid: parentId, type } = fields;
      if (typeof type === "string") tree.add(fields, line, { id, parentId });
      else warnings.add("This is no line of a Qwen Code session.", line);
    },
    finish: () => ({ ...finish(tree.all(), tree.lastBranch()), warnings: warnings.list() }),
  };
}

function finish(all: readonly Fields[], branch: readonly Fields[]): Omit<Reading, "warnings"> {
  const from = branch.findLastIndex((fields) => historyIn(fields) !== undefined);
  const since = branch.slice(from + 1).filter(isSpoken);
  const history = historyIn(branch[from] ?? {}) ?? [];
  const entries = decoded(all.filter(isSpoken).map(recordOf));
  const [head = {}] = all;
  const conversation = {
    id: text(head["sessionId"]),
    title: text(newest(all.map(titleOf), "customTitle")),
    messages: [
      ...summarized(decoded(history.map((turn) => recordOf({ message: turn })))),
      ...messagesOf(decoded(since.map(recordOf))),
    ],
    model: newest(entries, "model"),
    window: number(newest(all, "contextWindowSize")),
    cwd: text(head["cwd"]),
    ...spanOf(all.map(({ timestamp }) => ({ time: instant(timestamp) }))),
    timeline: timelineOf(entries),
    requests: requestsOf(entries),
  };
  return {
    version: text(newest(all, "version")),
    conversations: [conversation],
    compactions: all.filter((fields) => historyIn(fields) !== undefined).length,
  };
}

function titleOf({ subtype, systemPayload }: Fields): Fields {
  return subtype === "custom_title" ? fieldsOf(systemPayload) : {};
}

/** The rest after a compression; `undefined` for any other line. */
function historyIn({ subtype, systemPayload }: Fields): Fields[] | undefined {
  if (subtype !== "chat_compression") return undefined;
  const { compressedHistory } = fieldsOf(systemPayload);
  return Array.isArray(compressedHistory) ? records(compressedHistory) : undefined;
}

/** Spoken words are written down for the screen alone. */
function isSpoken({ message, subtype }: Fields): boolean {
  return message !== undefined && subtype !== "realtime_message";
}

/** A line as a record of Gemini CLI, from which Qwen Code was made. */
function recordOf(line: Fields): Fields {
  const { role, parts } = fieldsOf(line["message"]);
  const usage = fieldsOf(line["usageMetadata"]);
  return {
    type: role === "model" ? "gemini" : "user",
    id: line["uuid"],
    timestamp: line["timestamp"],
    model: line["model"],
    content: list(parts),
    tokens: {
      input: usage["promptTokenCount"],
      output: usage["candidatesTokenCount"],
      cached: usage["cachedContentTokenCount"],
      total: usage["totalTokenCount"],
    },
  };
}

function decoded(lines: readonly Fields[]): readonly Entry[] {
  const calls = createCallPairing();
  return lines.flatMap((line) => decodeRecord(line, calls) ?? []);
}

function messagesOf(entries: readonly Entry[]): readonly Message[] {
  return entries.flatMap(({ messages }) => messages);
}

/** A compressed history opens with the summary, in the person's name. */
function summarized(entries: readonly Entry[]): readonly Message[] {
  const messages = messagesOf(entries);
  const at = messages.findIndex(({ role }) => role === "user");
  const summary = messages[at];
  return summary === undefined ? messages : messages.with(at, { ...summary, kind: "summary" });
}

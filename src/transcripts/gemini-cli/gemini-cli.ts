import { messageText, type Message } from "../../core/message/message.ts";
import { type Fields, fieldsOf, isRecord } from "../../core/text/json.ts";
import { createCallPairing } from "../call-pairing.ts";
import { decodeEach, newest, requestsOf, timelineOf } from "../content.ts";
import { instant, list, text } from "../lenient.ts";
import { geminiTurns } from "../signs.ts";
import {
  createWarnings,
  type DocumentReader,
  type Reading,
  type RecordReader,
  type Warnings,
} from "../transcript.ts";
import { decodeRecord, type Entry } from "../gemini-record.ts";

/**
 * A chat that Gemini CLI recorded as one JSON document, or a checkpoint of `/chat save`: a list of
 * turns as the Gemini API has them.
 */
export const geminiCli: DocumentReader = {
  read(document, { isTorn = false } = {}) {
    const session = fieldsOf(document);
    const records = checkpointRecords(document) ?? list(session["messages"]);
    const whole = isTorn ? records.slice(0, -1) : records;
    const compactions = openingSnapshot(whole) === undefined ? 0 : 1;
    return readChat({ session, current: whole, all: whole, compactions }, createWarnings());
  },
};

/** The turns of a checkpoint as chat records; `undefined` for what is none. */
function checkpointRecords(document: unknown): unknown[] | undefined {
  return geminiTurns(document)?.map((turn) => {
    const { role, parts } = fieldsOf(turn);
    return { type: role === "model" ? "gemini" : role, content: parts };
  });
}

/** A chat that Gemini CLI appends to line by line: records, changes and rewinds. */
export const geminiCliLines = { open };

interface State {
  session: Fields;
  /** Messages by id in their order; a later record of an id takes the place of the earlier one. */
  readonly current: Map<string, unknown>;
  readonly all: Map<string, unknown>;
  compactions: number;
}

function open(): RecordReader {
  const state: State = { session: {}, current: new Map(), all: new Map(), compactions: 0 };
  const warnings = createWarnings();
  return {
    record(value, line) {
      const native = fieldsOf(value);
      const { $rewindTo, $set, id, type, sessionId } = native;
      if (typeof $rewindTo === "string") rewind(state, $rewindTo);
      else if (typeof id === "string" && typeof type === "string") put(state, id, value);
      else if ($set !== undefined) change(state, $set);
      else if (typeof sessionId === "string") change(state, native);
      else warnings.add("This is no record of a Gemini CLI chat.", line);
    },
    finish() {
      const { session, compactions } = state;
      const [current, all] = [[...state.current.values()], [...state.all.values()]];
      return readChat({ session, current, all, compactions }, warnings);
    },
  };
}

function put(state: State, id: string, record: unknown): void {
  state.current.set(id, record);
  state.all.set(id, record);
}

/** Takes back the message with this id and everything after it; all of it when the id is unknown. */
function rewind(state: State, id: string): void {
  const ids = [...state.current.keys()];
  const from = Math.max(0, ids.indexOf(id));
  for (const gone of ids.slice(from)) state.current.delete(gone);
}

/** `messages` in a change is the whole new history: so compression and masking are recorded. */
function change(state: State, value: unknown): void {
  if (!isRecord(value)) return;
  state.session = { ...state.session, ...value };
  const { messages } = value;
  if (!Array.isArray(messages)) return;
  const snapshot = openingSnapshot(messages);
  const before = openingSnapshot([...state.current.values()]);
  if (snapshot !== undefined && snapshot !== before) state.compactions += 1;
  state.current.clear();
  for (const [index, message] of list(messages).entries()) {
    put(state, text(fieldsOf(message)["id"]) ?? `message-${index}`, message);
  }
}

interface Chat {
  readonly session: Fields;
  /** The records that a resumed chat would start from. */
  readonly current: readonly unknown[];
  /** Every record that the file has had, also those that were taken back or compressed away. */
  readonly all: readonly unknown[];
  /** The number of times that the history was compressed. */
  readonly compactions: number;
}

function readChat({ session, current, all, compactions }: Chat, warnings: Warnings): Reading {
  const entries = decodeAll(current, warnings);
  const whole = all === current ? entries : decodeAll(all, warnings);
  const conversation = {
    id: text(session["sessionId"]),
    title: text(session["summary"]),
    messages: effectiveMessages(entries),
    model: newest(entries, "model"),
    cwd: text(list(session["directories"])[0]),
    startedAt: instant(session["startTime"]),
    updatedAt: instant(session["lastUpdated"]),
    timeline: timelineOf(whole),
    requests: requestsOf(whole),
  };
  return { conversations: [conversation], compactions, warnings: warnings.list() };
}

function decodeAll(records: readonly unknown[], warnings: Warnings): readonly Entry[] {
  const calls = createCallPairing();
  return decodeEach(records, (record) => decodeRecord(record, calls), { warnings });
}

function effectiveMessages(entries: readonly Entry[]): readonly Message[] {
  const spoken = entries.filter(({ type }) => type === "user" || type === "gemini");
  const sent = spoken.filter((entry, index) => !isCommand(entry, spoken[index + 1]));
  const messages = sent.flatMap((entry) => entry.messages);
  // Only the first message after the set-up can be a summary.
  const at = messages.findIndex((message) => message.kind !== "injected");
  const first = messages[at];
  return first && isSnapshot(first) ? messages.with(at, { ...first, kind: "summary" }) : messages;
}

/** A slash command that the model never answered was for gemini-cli itself. */
function isCommand(entry: Entry, next: Entry | undefined): boolean {
  const typed = entry.messages.find((message) => message.role === "user" && !message.kind);
  return typed !== undefined && /^\s*[/?]/.test(messageText(typed)) && next?.type !== "gemini";
}

/** A compressed chat opens with the model's snapshot of what went before, in a user record. */
function isSnapshot(message: Message): boolean {
  if (message.role !== "user" || message.kind !== undefined) return false;
  const content = messageText(message).trimEnd();
  return content.includes("<state_snapshot>") && content.endsWith("</state_snapshot>");
}

/** The set-up and the snapshot are among the first records. */
const OPENING = 5;
const SILENT: Warnings = createWarnings(0);

/** The text of the snapshot that a compressed chat opens with; `undefined` for any other chat. */
function openingSnapshot(records: readonly unknown[]): string | undefined {
  const entries = decodeAll(records.slice(0, OPENING), SILENT);
  const summary = effectiveMessages(entries).find((message) => message.kind === "summary");
  return summary && messageText(summary);
}

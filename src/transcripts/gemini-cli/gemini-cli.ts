import { messageText, type Message } from "../../core/message/message.ts";
import { createCallPairing } from "../call-pairing.ts";
import { anything, fields, instant, list, text } from "../lenient.ts";
import { geminiTurns } from "../signs.ts";
import {
  type Conversation,
  createWarnings,
  type DocumentReader,
  type DocumentState,
  type Reading,
  type RecordReader,
  type Warnings,
} from "../transcript.ts";
import { decodeRecord, type Entry } from "./record.ts";

const chatSchema = fields({ messages: list });
const turnSchema = fields({ role: text, parts: anything });

/**
 * A chat that Gemini CLI recorded as one JSON document, or a checkpoint of `/chat save`: a list of
 * turns as the Gemini API has them.
 */
export const geminiCli: DocumentReader = { read };

function read(document: unknown, { isTorn = false }: DocumentState = {}): Reading {
  const records = checkpointRecords(document) ?? chatSchema.parse(document)?.messages ?? [];
  const whole = isTorn ? records.slice(0, -1) : records;
  const compactions = openingSnapshot(whole) === undefined ? 0 : 1;
  const chat = { session: document, current: whole, all: whole, compactions };
  return readChat(chat, createWarnings());
}

/** The turns of a checkpoint as chat records; `undefined` for what is none. */
function checkpointRecords(document: unknown): unknown[] | undefined {
  return geminiTurns(document)?.map((turn) => {
    const { role, parts } = turnSchema.parse(turn) ?? {};
    return { type: role === "model" ? "gemini" : role, content: parts };
  });
}

const lineSchema = fields({
  $rewindTo: text,
  $set: anything,
  id: text,
  type: text,
  sessionId: text,
  projectHash: text,
});

const setSchema = fields({ messages: anything });

/** A chat that Gemini CLI appends to line by line: records, changes and rewinds. */
export const geminiCliLines = { open };

interface State {
  session: object;
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
      const native = lineSchema.parse(value);
      if (native?.$rewindTo !== undefined) rewind(state, native.$rewindTo);
      else if (native?.id !== undefined && native.type !== undefined) put(state, native.id, value);
      else if (native?.$set !== undefined) change(state, native.$set);
      else if (native?.sessionId !== undefined) change(state, value);
      else warnings.add("This is no record of a Gemini CLI chat.", line);
    },
    finish(): Reading {
      const { session, compactions } = state;
      const current = [...state.current.values()];
      return readChat({ session, current, all: [...state.all.values()], compactions }, warnings);
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
  if (typeof value !== "object" || value === null) return;
  state.session = { ...state.session, ...value };
  const messages = setSchema.parse(value)?.messages;
  if (!Array.isArray(messages)) return;
  const snapshot = openingSnapshot(messages);
  const before = openingSnapshot([...state.current.values()]);
  if (snapshot !== undefined && snapshot !== before) state.compactions += 1;
  state.current.clear();
  for (const [index, message] of messages.entries()) {
    put(state, lineSchema.parse(message)?.id ?? `message-${index}`, message);
  }
}

/** A chat after everything that the file did to it. */
interface Chat {
  /** The session's own fields, as the file has them. */
  readonly session: unknown;
  /** The records that a resumed chat would start from. */
  readonly current: readonly unknown[];
  /** Every record that the file has had, also those that were taken back or compressed away. */
  readonly all: readonly unknown[];
  /** How many times the history was compressed. */
  readonly compactions: number;
}

const sessionSchema = fields({
  sessionId: text,
  startTime: anything,
  lastUpdated: anything,
  summary: text,
  directories: list,
});

function readChat(chat: Chat, warnings: Warnings): Reading {
  const entries = decodeAll(chat.current, warnings);
  const whole = chat.all === chat.current ? entries : decodeAll(chat.all, warnings);
  return {
    conversations: [conversationOf(chat, entries, whole)],
    compactions: chat.compactions,
    warnings: warnings.list(),
  };
}

function decodeAll(records: readonly unknown[], warnings: Warnings): readonly Entry[] {
  const calls = createCallPairing();
  const entries: Entry[] = [];
  for (const [index, record] of records.entries()) {
    const entry = decodeRecord(record, calls);
    if (entry === undefined) warnings.add(`Message ${index} has no type and was left out.`);
    else entries.push(entry);
  }
  return entries;
}

function conversationOf(
  chat: Chat,
  entries: readonly Entry[],
  whole: readonly Entry[],
): Conversation {
  const session = sessionSchema.parse(chat.session);
  const directory = session?.directories[0];
  return {
    id: session?.sessionId,
    title: session?.summary,
    messages: effectiveMessages(entries),
    model: entries.findLast((entry) => entry.model !== undefined)?.model,
    cwd: typeof directory === "string" ? directory : undefined,
    startedAt: instant(session?.startTime),
    updatedAt: instant(session?.lastUpdated),
    timeline: whole.flatMap(({ time, tokens }) => (tokens === undefined ? [] : [{ time, tokens }])),
  };
}

function effectiveMessages(entries: readonly Entry[]): Message[] {
  const spoken = entries.filter((entry) => entry.type === "user" || entry.type === "gemini");
  const sent = spoken.filter((entry, index) => !isCommand(entry, spoken[index + 1]));
  return withSummary(sent.flatMap((entry) => entry.messages));
}

/** A slash command that the model never answered was for gemini-cli itself. */
function isCommand(entry: Entry, next: Entry | undefined): boolean {
  const typed = entry.messages.find((message) => message.role === "user" && !message.kind);
  return typed !== undefined && /^\s*[/?]/.test(messageText(typed)) && next?.type !== "gemini";
}

/** A compressed chat opens with the model's snapshot of what went before, in a user record. */
function isSnapshot(message: Message | undefined): boolean {
  if (message?.role !== "user" || message.kind !== undefined) return false;
  const content = messageText(message).trimEnd();
  return content.includes("<state_snapshot>") && content.endsWith("</state_snapshot>");
}

/** Only the first message after the set-up can be a summary. */
function withSummary(messages: readonly Message[]): Message[] {
  const at = messages.findIndex((message) => message.kind !== "injected");
  const first = messages[at];
  if (first === undefined || !isSnapshot(first)) return [...messages];
  return messages.with(at, { ...first, kind: "summary" });
}

/** The text of the snapshot that a compressed chat opens with; `undefined` for any other chat. */
function openingSnapshot(records: readonly unknown[]): string | undefined {
  const entries = decodeAll(records.slice(0, OPENING), SILENT);
  const summary = effectiveMessages(entries).find((message) => message.kind === "summary");
  return summary && messageText(summary);
}

/** The set-up and the snapshot are among the first records. */
const OPENING = 5;
const SILENT: Warnings = createWarnings(0);

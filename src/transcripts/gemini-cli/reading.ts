import type { Message } from "../../core/message/index.ts";
import { messageText } from "../../core/message/index.ts";
import { createCallPairing } from "../call-pairing.ts";
import { createCounter } from "../counts.ts";
import { anything, defined, fields, instant, list, text } from "../lenient.ts";
import type { Conversation, Reading } from "../transcript.ts";
import type { Warnings } from "../warnings.ts";
import type { Entry } from "./record.ts";
import { decodeRecord } from "./record.ts";

/** A chat after everything that the file did to it. */
export interface Chat {
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

export function readChat(chat: Chat, warnings: Warnings): Reading {
  const entries = decodeAll(chat.current, warnings);
  const whole = chat.all === chat.current ? entries : decodeAll(chat.all, warnings);
  return {
    conversations: [conversationOf(chat, entries, whole)],
    counts: countsOf(chat, entries, whole),
    warnings: warnings.list(),
  };
}

interface Decoded {
  readonly entries: readonly Entry[];
  readonly callIds: number;
}

function decodeAll(records: readonly unknown[], warnings: Warnings): Decoded {
  const calls = createCallPairing();
  const entries: Entry[] = [];
  for (const [index, record] of records.entries()) {
    const entry = decodeRecord(record, calls);
    if (entry === undefined) warnings.add(`Message ${index} has no type and was left out.`);
    else entries.push(entry);
  }
  return { entries, callIds: calls.recordedIds() };
}

function conversationOf(chat: Chat, { entries }: Decoded, whole: Decoded): Conversation {
  const session = sessionSchema.parse(chat.session);
  const directory = session?.directories[0];
  return defined({
    id: session?.sessionId,
    title: session?.summary,
    messages: effectiveMessages(entries),
    model: entries.findLast((entry) => entry.model !== undefined)?.model,
    cwd: typeof directory === "string" ? directory : undefined,
    startedAt: instant(session?.startTime),
    updatedAt: instant(session?.lastUpdated),
    timeline: whole.entries.flatMap(({ time, tokens }) =>
      tokens === undefined ? [] : [defined({ time, tokens })],
    ),
  });
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
export function openingSnapshot(records: readonly unknown[]): string | undefined {
  const { entries } = decodeAll(records.slice(0, OPENING), SILENT);
  const summary = effectiveMessages(entries).find((message) => message.kind === "summary");
  return summary && messageText(summary);
}

/** The set-up and the snapshot are among the first records. */
const OPENING = 5;
const SILENT: Warnings = { add: () => undefined, list: () => [] };

/**
 * Messages are the records of the file, also those that only the screen showed. What was pruned is
 * told by the current records, for the older ones of the same message are the whole outputs.
 */
function countsOf(chat: Chat, current: Decoded, whole: Decoded): Reading["counts"] {
  const counter = createCounter();
  for (const message of whole.entries.flatMap((entry) => withSummary(entry.messages))) {
    counter.add(message);
  }
  const results = current.entries
    .flatMap((entry) => entry.messages)
    .flatMap((message) => message.parts.filter((part) => part.type === "tool-result"));
  return {
    ...counter.counts(),
    messages: whole.entries.length,
    toolCallIdsUnique: whole.callIds,
    compactions: chat.compactions,
    prunedOutputs: results.filter((result) => result.original !== undefined).length,
  };
}

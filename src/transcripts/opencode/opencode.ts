import type { Message } from "../../core/message/index.ts";
import { createCallPairing } from "../call-pairing.ts";
import { fields, list, number, text } from "../lenient.ts";
import {
  type Conversation,
  createWarnings,
  type DocumentState,
  type Reading,
  type Warnings,
} from "../transcript.ts";
import { asContinuation, decodeEntry, type Entry } from "./entry.ts";

const exportSchema = fields({
  info: fields({
    id: text,
    title: text,
    version: text,
    directory: text,
    time: fields({ created: number, updated: number }),
    revert: fields({ messageID: text, partID: text }),
  }),
  messages: list,
});

type Info = NonNullable<NonNullable<ReturnType<typeof exportSchema.parse>>["info"]>;

/** A session as `opencode export` prints it: `{info, messages: [{info, parts}]}`. */
export const opencode = { read };

function read(document: unknown, { isTorn = false }: DocumentState = {}): Reading {
  const session = exportSchema.parse(document);
  const warnings = createWarnings();
  const calls = createCallPairing();
  const natives = isTorn ? session?.messages.slice(0, -1) : session?.messages;
  const entries: Entry[] = [];
  for (const [index, native] of (natives ?? []).entries()) {
    const entry = decodeEntry(native, calls);
    if (entry === undefined) warnings.add(`Message ${index} has no known role and was left out.`);
    else entries.push(entry);
  }
  return {
    version: session?.info?.version,
    conversations: [conversationOf(session?.info, entries, warnings)],
    compactions: entries.filter((entry) => entry.summary !== undefined).length,
    warnings: warnings.list(),
  };
}

function conversationOf(
  info: Info | undefined,
  entries: readonly Entry[],
  warnings: Warnings,
): Conversation {
  return {
    id: info?.id,
    title: info?.title,
    messages: effectiveMessages(beforeRevert(entries, info), warnings),
    instructions: entries.findLast((entry) => entry.instructions !== undefined)?.instructions,
    model: entries.findLast((entry) => entry.model !== undefined && !entry.isSummary)?.model,
    cwd: info?.directory,
    startedAt: info?.time?.created,
    updatedAt: info?.time?.updated,
    timeline: entries.flatMap((entry) => entry.samples),
  };
}

/** The person can take messages back; they stay in the file until the next prompt. */
function beforeRevert(entries: readonly Entry[], info: Info | undefined): readonly Entry[] {
  const revert = info?.revert;
  if (revert?.messageID === undefined || revert.partID !== undefined) return entries;
  const index = indexOfId(entries, revert.messageID);
  return index === -1 ? entries : entries.slice(0, index);
}

/**
 * After a compaction: the last summary, the tail that was kept before its marker, and everything
 * after the marker. Markers and other summaries are never sent.
 */
function effectiveMessages(entries: readonly Entry[], warnings: Warnings): Message[] {
  const [first] = entries;
  if (first?.answers !== undefined && indexOfId(entries, first.answers) === -1) {
    warnings.missing("parent");
  }
  const summaryAt = entries.findLastIndex((entry) => entry.summary !== undefined);
  const summary = entries[summaryAt]?.summary;
  if (entries.slice(summaryAt + 1).some((entry) => entry.isBlank)) warnings.missing("summary");
  if (summary === undefined) return sentMessages(entries);
  const markerAt = entries.slice(0, summaryAt).findLastIndex((entry) => entry.marker !== undefined);
  const head = markerAt === -1 ? summaryAt : markerAt;
  const next = sentMessages(entries.slice(summaryAt + 1, summaryAt + 2));
  return [
    summary,
    ...sentMessages(keptTail(entries, markerAt, warnings)),
    ...sentMessages(entries.slice(head + 1, summaryAt)),
    ...(next.every((message) => message.kind === "injected") ? next.map(asContinuation) : next),
    ...sentMessages(entries.slice(summaryAt + 2)),
  ];
}

function keptTail(
  entries: readonly Entry[],
  markerAt: number,
  warnings: Warnings,
): readonly Entry[] {
  const id = entries[markerAt]?.marker?.tailStartId;
  if (id === undefined) return [];
  const from = indexOfId(entries, id);
  if (from !== -1 && from < markerAt) return entries.slice(from, markerAt);
  warnings.add(`The compaction keeps messages from ${id} on, which is not one message before it.`);
  return [];
}

/** -1 also for an id that several messages have: it was blanked by whoever published the file. */
function indexOfId(entries: readonly Entry[], id: string): number {
  const index = entries.findIndex((entry) => entry.id === id);
  return index === entries.findLastIndex((entry) => entry.id === id) ? index : -1;
}

function sentMessages(entries: readonly Entry[]): Message[] {
  return entries.flatMap((entry) => (entry.sent && !entry.isSummary ? entry.messages : []));
}

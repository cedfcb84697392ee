import type { Message } from "../../core/message/index.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { createCallPairing } from "../call-pairing.ts";
import { decodeEach, newest } from "../content.ts";
import { list, number, text } from "../lenient.ts";
import { createWarnings, type DocumentReader, type Warnings } from "../transcript.ts";
import { asContinuation, decodeEntry, type Entry } from "./entry.ts";

/** A session as `opencode export` prints it: `{info, messages: [{info, parts}]}`. */
export const opencode: DocumentReader = {
  read(document, { isTorn = false } = {}) {
    const session = fieldsOf(document);
    const { created, updated } = fieldsOf(fieldsOf(session["info"])["time"]);
    const { id, title, version, directory, revert } = fieldsOf(session["info"]);
    const warnings = createWarnings();
    const calls = createCallPairing();
    const decode = (native: unknown): Entry | undefined => decodeEntry(native, calls);
    const entries = decodeEach(list(session["messages"]), decode, { warnings, isTorn });
    const own = entries.filter((entry) => !entry.isSummary);
    const conversation = {
      id: text(id),
      title: text(title),
      messages: effectiveMessages(beforeRevert(entries, revert), warnings),
      instructions: newest(entries, "instructions"),
      model: newest(own, "model"),
      provider: newest(own, "provider"),
      cwd: text(directory),
      startedAt: number(created),
      updatedAt: number(updated),
      timeline: entries.flatMap((entry) => entry.samples),
      requests: entries.flatMap((entry) => entry.requests),
    };
    return {
      version: text(version),
      conversations: [conversation],
      compactions: entries.filter((entry) => entry.summary !== undefined).length,
      warnings: warnings.list(),
    };
  },
};

/** The person can take messages back; they stay in the file until the next prompt. */
function beforeRevert(entries: readonly Entry[], revert: unknown): readonly Entry[] {
  const { messageID, partID } = fieldsOf(revert);
  if (typeof messageID !== "string" || typeof partID === "string") return entries;
  const index = indexOfId(entries, messageID);
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

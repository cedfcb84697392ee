import type { Message, Part } from "../../core/message/index.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { createCallPairing } from "../call-pairing.ts";
import { decodeEach, newest, requestsOf, spanOf, timelineOf } from "../content.ts";
import { instant, list, number, text } from "../lenient.ts";
import { createWarnings, type DocumentReader } from "../transcript.ts";
import { decodeEntry, type Entry } from "./entry.ts";

/**
 * A session of the Cline SDK, or the `api_conversation_history.json` of the Cline and Roo Code
 * extensions, which is the bare list of messages.
 */
export const cline: DocumentReader = {
  read(document, { isTorn = false } = {}) {
    const session = fieldsOf(document);
    const messages = Array.isArray(document) ? document : list(session["messages"]);
    const warnings = createWarnings();
    const calls = createCallPairing();
    const decode = (message: unknown): Entry | undefined => decodeEntry(message, calls);
    const entries = decodeEach(messages, decode, { warnings, isTorn });
    const { startedAt, updatedAt } = spanOf(entries);
    const conversation = {
      id: text(session["sessionId"]),
      messages: withoutOrphans(mergeReasoning(activeEntries(entries))),
      instructions: text(session["system_prompt"]),
      model: newest(entries, "model"),
      startedAt,
      updatedAt: instant(session["updated_at"]) ?? updatedAt,
      timeline: timelineOf(entries),
      requests: requestsOf(entries),
    };
    return {
      version: number(session["version"])?.toString(),
      conversations: [conversation],
      compactions: entries.filter((entry) => entry.isCompaction).length,
      warnings: warnings.list(),
    };
  },
};

/**
 * Roo keeps what it condensed or truncated and tags it with the id of what stands for it; a tag
 * whose summary or marker is gone means nothing. Older summaries have no id: what came before the
 * last of those is hidden except the first message.
 */
function activeEntries(entries: readonly Entry[]): readonly Entry[] {
  const standing = new Set(entries.map((entry) => entry.replaces));
  const active = entries.filter((entry) => !entry.replacedBy.some((id) => standing.has(id)));
  const last = active.findLastIndex((entry) => entry.isSummary);
  const isOld = last > 0 && active[last]?.replaces === undefined;
  return isOld ? [...active.slice(0, 1), ...active.slice(last)] : active;
}

/** Reasoning that stands alone goes to the reply after it. */
function mergeReasoning(entries: readonly Entry[]): Message[] {
  const messages: Message[] = [];
  let waiting: readonly Part[] = [];
  for (const entry of entries) {
    const [first, ...rest] = entry.messages;
    if (first === undefined) continue;
    if (entry.isReasoning) waiting = [...waiting, ...first.parts];
    else if (first.role === "assistant" && waiting.length > 0) {
      messages.push({ ...first, parts: [...waiting, ...first.parts] }, ...rest);
      waiting = [];
    } else messages.push(first, ...rest);
  }
  return messages;
}

/** A hidden message may hold the call of a result that is shown; Roo leaves such results out. */
function withoutOrphans(messages: readonly Message[]): Message[] {
  const calls = new Set<string>();
  const isWanted = (part: Part): boolean =>
    part.type !== "tool-result" || calls.has(part.toolCallId);
  return messages.flatMap((message) => {
    for (const part of message.parts) if (part.type === "tool-call") calls.add(part.toolCallId);
    if (message.parts.every(isWanted)) return [message];
    const parts = message.parts.filter(isWanted);
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
}

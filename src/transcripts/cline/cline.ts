import type { Message } from "../../core/message/index.ts";
import { createCallPairing } from "../call-pairing.ts";
import { anything, fields, instant, list, number, text } from "../lenient.ts";
import {
  type Conversation,
  createWarnings,
  type DocumentState,
  type Reading,
} from "../transcript.ts";
import { decodeEntry, type Entry } from "./entry.ts";

const sessionSchema = fields({
  version: number,
  sessionId: text,
  system_prompt: text,
  updated_at: anything,
  messages: list,
});

/**
 * A session of the Cline SDK, or the `api_conversation_history.json` of the Cline and Roo Code
 * extensions, which is the bare list of messages.
 */
export const cline = { read };

function read(document: unknown, { isTorn = false }: DocumentState = {}): Reading {
  const session = sessionSchema.parse(document);
  const messages = Array.isArray(document) ? document : (session?.messages ?? []);
  const warnings = createWarnings();
  const calls = createCallPairing();
  const entries: Entry[] = [];
  for (const [index, message] of (isTorn ? messages.slice(0, -1) : messages).entries()) {
    const entry = decodeEntry(message, calls);
    if (entry === undefined) warnings.add(`Message ${index} has no known role and was left out.`);
    else entries.push(entry);
  }
  const version = session?.version;
  return {
    version: version === undefined ? undefined : String(version),
    conversations: [conversationOf(session, entries)],
    compactions: entries.filter((entry) => entry.isCompaction).length,
    warnings: warnings.list(),
  };
}

function conversationOf(
  session: ReturnType<typeof sessionSchema.parse>,
  entries: readonly Entry[],
): Conversation {
  return {
    id: session?.sessionId,
    messages: withoutOrphans(mergeReasoning(activeEntries(entries))),
    instructions: session?.system_prompt,
    model: entries.findLast((entry) => entry.model !== undefined)?.model,
    startedAt: entries.find((entry) => entry.time !== undefined)?.time,
    updatedAt:
      instant(session?.updated_at) ?? entries.findLast((entry) => entry.time !== undefined)?.time,
    timeline: entries.flatMap(({ time, tokens }) =>
      tokens === undefined ? [] : [{ time, tokens }],
    ),
  };
}

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
  let waiting: Message["parts"] = [];
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

/** What is hidden may hold the call of a result that is not; Roo leaves such results out. */
function withoutOrphans(messages: readonly Message[]): Message[] {
  const calls = new Set<string>();
  return messages.flatMap((message) => {
    for (const part of message.parts) if (part.type === "tool-call") calls.add(part.toolCallId);
    const isWanted = (part: Message["parts"][number]): boolean =>
      part.type !== "tool-result" || calls.has(part.toolCallId);
    if (message.parts.every(isWanted)) return [message];
    const parts = message.parts.filter(isWanted);
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
}

import { CONTINUE_MARK, MEDIA_MARK } from "../continuation/continuation.ts";
import { ContextError } from "../error.ts";
import { applyEdits } from "../message/edit.ts";
import type { Digest } from "../message/handle.ts";
import {
  earlierOriginal,
  linesOf,
  originalContent,
  originalOf,
  originalOfLines,
  type MessageLines,
  type Original,
} from "../message/original.ts";
import { frameSummary, unframeSummary } from "../summary/frame.ts";
import { isSealedSummary } from "../message/structure.ts";
import { withParts, type Message } from "../message/message.ts";
import type { CompactionPlan, ContextPlan, HeadSplit, PlanEffects, ReasoningPlan } from "./plan.ts";

/**
 * Applies a plan; pure. The same plan on the same list gives the same result, and every message
 * that the plan does not change is the same object. `messages` may be longer than the list the plan
 * was made for: what came later is kept as it is. Throws `ContextError` code `invalid-options` for
 * a shorter list, or for a compaction without its summary.
 */
export function applyPlan(
  messages: readonly Message[],
  plan: ContextPlan,
  { summary }: PlanEffects = {},
): readonly Message[] {
  if (messages.length < plan.length) {
    throw new ContextError(
      "invalid-options",
      `The plan was made for ${plan.length} messages but got ${messages.length}; apply it to the list it was made for.`,
    );
  }
  const edited = applyEdits(messages, plan.edits);
  if (plan.compaction === undefined) return withoutBound(edited, plan.reasoning);
  if (summary === undefined) {
    throw new ContextError(
      "invalid-options",
      "The plan asks for a summary and none was given; pass { summary }.",
    );
  }
  return reassemble(edited, plan.length, plan.compaction, summary);
}

function withoutBound(
  messages: readonly Message[],
  reasoning: ReasoningPlan | undefined,
): readonly Message[] {
  if (reasoning === undefined) return messages;
  const { note } = reasoning;
  const [first, ...others] = reasoning.messages;
  const silent = new Set(note === undefined ? reasoning.messages : others);
  return messages.flatMap((message, index) => {
    if (silent.has(index)) return withoutReasoning(message);
    return index === first && note !== undefined ? [withNote(message, note)] : [message];
  });
}

/** The note stands where the first reasoning stood. */
function withNote(message: Message, note: string): Message {
  const at = message.parts.findIndex((part) => part.type === "reasoning");
  const noted = message.parts.with(at, { type: "text", text: note });
  return withParts(
    message,
    noted.filter((part) => part.type !== "reasoning"),
  );
}

/** T8: system messages, the summary, what is pinned, the tail, the continuation, what came later. */
function reassemble(
  messages: readonly Message[],
  length: number,
  compaction: CompactionPlan,
  summary: string,
): readonly Message[] {
  const silent = new Set(compaction.withoutReasoning);
  const kept = (index: number): Message[] => {
    const message = messages[index] as Message;
    if (index === compaction.hadMedia) return [markMedia(message)];
    return silent.has(index) ? withoutReasoning(message) : [message];
  };
  const tail: Message[] = [];
  for (let index = compaction.tailStart; index < length; index++) tail.push(...kept(index));
  const pinned = compaction.pinned.flatMap(kept);
  return [
    ...messages.slice(0, compaction.system),
    // For its provider it stands for everything before it; ours must not be among that.
    ...pinned.filter(isSealedSummary),
    summaryMessage(framed(summary, compaction), compaction),
    ...pinned.filter((message) => !isSealedSummary(message)),
    ...tail,
    ...(compaction.continuation === undefined ? [] : [compaction.continuation]),
    ...messages.slice(length),
  ];
}

/** A summary as it stands in a context. */
function framed(text: string, { system, tailStart, handle }: CompactionPlan): string {
  if (unframeSummary(text) !== undefined) return text;
  return frameSummary(text, { headHandle: handle, headMessages: tailStart - system });
}

/** The message that stands for the head. */
export function summaryMessage(text: string, { summary, handle }: CompactionPlan): Message {
  return {
    role: summary.role,
    kind: "summary",
    parts: [{ type: "text", text }],
    ...(handle !== undefined && { metadata: { head: handle } }),
  };
}

function markMedia(message: Message): Message {
  return {
    ...message,
    metadata: { ...message.metadata, [CONTINUE_MARK]: true, [MEDIA_MARK]: true },
  };
}

/** An assistant message of reasoning alone goes with it. */
function withoutReasoning(message: Message): Message[] {
  const parts = message.parts.filter((part) => part.type !== "reasoning");
  return parts.length === 0 ? [] : [withParts(message, parts)];
}

/**
 * Every original that a plan takes out of the window; the archive must hold them before it acts.
 * `head` is the original of the head where it is made already.
 */
export function originalsOf(
  messages: readonly Message[],
  plan: ContextPlan,
  digest: Digest,
  head?: Original,
): Original[] {
  const originals = plan.edits.flatMap((edit): Original[] => {
    const part = messages[edit.message]?.parts[edit.part];
    if (part === undefined || part.type === "reasoning") return [];
    if (earlierOriginal(part) !== undefined) return [];
    return [{ handle: edit.handle, ...originalContent(part) }];
  });
  if (plan.reasoning?.handle !== undefined) {
    originals.push(reasoningOriginal(messages, plan.reasoning.messages, digest));
  }
  if (plan.compaction?.handle === undefined) return originals;
  for (const { message, part } of plan.compaction.unpinned ?? []) {
    const result = messages[message]?.parts[part];
    if (result?.type !== "tool-result" || earlierOriginal(result) !== undefined) continue;
    originals.push(originalOf(result, digest));
  }
  return [...originals, head ?? headOriginal(messages, plan.compaction, digest)];
}

/** The messages that lose their reasoning, as they were. */
export function reasoningOriginal(
  messages: readonly Message[],
  indices: readonly number[],
  digest: Digest,
): Original {
  return originalOfLines(linesOf(indices.flatMap((index) => messages[index] ?? [])), digest);
}

/**
 * The head's messages, then the kept ones that lose their reasoning. `lines` are those of the
 * messages, where they are written already.
 */
export function headOriginal(
  messages: readonly Message[],
  { system, tailStart, withoutReasoning }: HeadSplit,
  digest: Digest,
  lines?: MessageLines,
): Original {
  const silent = linesOf(withoutReasoning.flatMap((index) => messages[index] ?? []));
  if (lines === undefined) {
    return originalOfLines([...linesOf(messages.slice(system, tailStart)), ...silent], digest);
  }
  const { pieces, running } = lines.stretch(system, tailStart);
  if (running !== undefined) silent.forEach(running.add);
  return originalOfLines([...pieces, ...silent], digest, running);
}

import { type Message, type Part, withParts } from "../core/message/index.ts";
import { errorText } from "../core/overflow/index.ts";

/**
 * How providers say that sealed thinking does not belong to the conversation: what stood before it
 * was edited by a context that is forgotten, e.g. because its process has ended.
 */
const REFUSAL =
  /bound to a different conversation|invalid `?signature`? in `?thinking`? block|encrypted content[^]{0,80}could not be (?:verified|decrypted)/i;

export function isReasoningRefusal(error: unknown): boolean {
  return REFUSAL.test(errorText(error));
}

/** The thinking that a provider refused. */
export interface RefusedReasoning {
  /** Notes all sealed thinking if the error is such a refusal; whether there was any to note. */
  refused(messages: readonly Message[], error: unknown): boolean;
  /** The messages without what was noted; the very list if it has nothing of that. */
  without(messages: readonly Message[]): readonly Message[];
}

export function createRefusedReasoning(): RefusedReasoning {
  const signatures = new Set<string>();
  const stripped = new WeakMap<Message, Message>();
  const isRefused = (part: Part): boolean =>
    part.type === "reasoning" && part.signature !== undefined && signatures.has(part.signature);
  const strip = (message: Message): Message => {
    if (message.role !== "assistant" || !message.parts.some(isRefused)) return message;
    // The same message must be the same object in every step.
    const known = stripped.get(message);
    if (known !== undefined) return known;
    const made = withParts(
      message,
      message.parts.filter((part) => !isRefused(part)),
    );
    stripped.set(message, made);
    return made;
  };
  return {
    refused(messages, error) {
      if (!isReasoningRefusal(error)) return false;
      const before = signatures.size;
      for (const part of messages.flatMap(({ parts }) => parts)) {
        if (part.type === "reasoning" && part.signature !== undefined) {
          signatures.add(part.signature);
        }
      }
      return signatures.size > before;
    },
    without(messages) {
      if (signatures.size === 0) return messages;
      const kept = messages.map(strip);
      const isSame = kept.every((message, index) => message === messages[index]);
      return isSame ? messages : kept.filter(({ parts }) => parts.length > 0);
    },
  };
}

import { toJson } from "../core/text/json.ts";
import type { Digest, Message, Part } from "../core/message/index.ts";

/** How many hex digits of a digest a key has. */
const DIGITS = 16;

/**
 * Names lists by what they say. The key of a list is made of the key of the list without its last
 * message and of that message's print, so that a list that goes on costs only what is new.
 */
export interface Chain {
  /** The key of a list that goes on by one message; the key of an empty list is `""`. */
  next(key: string, message: Message): string;
  keyOf(messages: readonly Message[]): string;
  /** The message was changed in place: what was known of it is not so any more. */
  forget(message: Message): void;
}

export function createChain(digest: Digest): Chain {
  const prints = new WeakMap<Message, string>();
  const printOf = (message: Message): string => {
    const known = prints.get(message);
    if (known !== undefined) return known;
    const print = digest(saidBy(message)).slice(0, DIGITS);
    prints.set(message, print);
    return print;
  };
  const next = (key: string, message: Message): string =>
    digest(key + printOf(message)).slice(0, DIGITS);
  return {
    next,
    keyOf: (messages) => messages.reduce(next, ""),
    forget: (message) => void prints.delete(message),
  };
}

/** Tells whether two messages say the same; most that do are one object, most others differ at a glance. */
export function isSameMessage(one: Message | undefined, other: Message | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  if (one.parts.length !== other.parts.length) return false;
  if (one.parts.some((part, index) => isOther(part, other.parts[index]))) return false;
  return saidBy(one) === saidBy(other);
}

function isOther(one: Part, other: Part | undefined): boolean {
  if (one.type !== other?.type) return true;
  return one.type === "text" && other.type === "text" && one.text.length !== other.text.length;
}

/**
 * The content of a message as one text, also after a way through a format that keeps nothing else:
 * kind, metadata, times, usage and native sources do not count, and a system message may have
 * become a user message.
 */
function saidBy({ role, parts }: Message): string {
  return toJson([role === "system" ? "user" : role, ...parts.map(contentOf)]);
}

function contentOf(part: Part): unknown {
  switch (part.type) {
    case "text":
      return part.text;
    case "reasoning":
      return ["reasoning", part.text, part.signature];
    case "file":
      return ["file", part.mediaType, part.data ?? part.url];
    case "tool-call":
      return ["call", part.toolCallId, part.toolName, part.input];
    case "tool-result":
      return ["result", part.toolCallId, part.output.map(contentOf)];
    case "opaque":
      return ["opaque", part.source.value];
  }
}

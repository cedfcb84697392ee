import { toJson } from "../../core/text/index.ts";
import {
  type Digest,
  leadingSystemCount,
  type Message,
  outputText,
  type Part,
  plainMessage,
} from "../../core/message/index.ts";

/** How many hex digits of the digest a fingerprint has. */
const DIGITS = 16;

/** Tells whether two messages say the same, across processes; times, `id` and usage do not count. */
export function fingerprint(message: Message, digest: Digest): string {
  const { role, kind } = message;
  return digest(toJson({ role, kind, parts: saidBy(message) })).slice(0, DIGITS);
}

/** The same for two messages in one process, without hashing when they are one object. */
export function isSameMessage(a: Message | undefined, b: Message | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.role !== b.role) return false;
  if (a.parts.length !== b.parts.length) return false;
  // In most cases that is seen at a glance.
  if (a.parts.some((part, index) => isOther(part, b.parts[index]))) return false;
  return toJson(saidBy(a)) === toJson(saidBy(b));
}

function isOther(one: Part, other: Part | undefined): boolean {
  if (one.type !== other?.type) return true;
  return one.type === "text" && other.type === "text" && one.text.length !== other.text.length;
}

/** The parts of a message with their fields in one order: an edit adds marks in its own. */
function saidBy(message: Message): readonly unknown[] {
  return plainMessage(message).parts.map((part) => {
    const fields = Object.entries(part as object).filter(([name]) => name !== "time");
    return Object.fromEntries(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}

/**
 * Tells what a list says, also when it went through a format that keeps nothing but the content. A
 * system prompt at its beginning may be another one in every request, and does not count.
 */
export function listDigest(messages: readonly Message[], digest: Digest): string {
  const said = messages.slice(leadingSystemCount(messages));
  return digest(said.map((message) => toJson(contentOf(message))).join("\n")).slice(0, DIGITS);
}

function contentOf({ role, parts }: Message): unknown {
  return [role === "system" ? "user" : role, ...parts.flatMap(partContent)];
}

function partContent(part: Part): readonly unknown[] {
  switch (part.type) {
    case "text":
      return [part.text];
    case "tool-call":
      return [part.toolCallId, part.toolName];
    case "tool-result":
      return [part.toolCallId, outputText(part.output)];
    default:
      // Reasoning, files and opaque parts are what formats keep least alike.
      return [];
  }
}

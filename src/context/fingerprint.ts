import type { Digest } from "../core/handle/index.ts";
import { plainMessage } from "../core/edit/index.ts";
import { type Message, toJson } from "../core/message/index.ts";

/** How many hex digits of the digest a fingerprint has. */
const DIGITS = 16;

/** Tells whether two messages say the same, across processes; `time`, `id` and usage do not count. */
export function fingerprint(message: Message, digest: Digest): string {
  const { role, kind, parts } = plainMessage(message);
  return digest(toJson({ role, kind, parts })).slice(0, DIGITS);
}

/** The same for two messages in one process, without hashing when they are one object. */
export function isSameMessage(a: Message | undefined, b: Message | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.role !== b.role) return false;
  if (a.parts.length !== b.parts.length) return false;
  return toJson(plainMessage(a).parts) === toJson(plainMessage(b).parts);
}

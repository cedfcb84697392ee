import type { Part } from "../core/message/index.ts";
import { unframeSummary } from "../core/summary/index.ts";
import type { Draft } from "./native-message.ts";

/**
 * Recognises our own summary in a decoded system or user message: the whole text of the message,
 * or of its first block; what follows it is a message of its own. Any other text that merely looks
 * like a summary stays what it is.
 */
export function splitSummary(draft: Draft): Draft[] {
  const [first, ...rest] = draft.parts;
  if (first === undefined || !isSummary(first)) return [draft];
  const summary: Draft = { ...draft, kind: "summary", parts: [first] };
  return rest.length === 0 ? [summary] : [summary, { ...draft, parts: rest }];
}

function isSummary(part: Part): boolean {
  return part.type === "text" && unframeSummary(part.text) !== undefined;
}

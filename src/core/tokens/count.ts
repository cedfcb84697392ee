import type { Message, OpaquePart, Part, ReasoningPart } from "../message/index.ts";
import { estimateTokens } from "./estimate.ts";
import { jsonText, jsonTextWithoutBlobs } from "./json-text.ts";
import { fileTokens } from "./media.ts";

/**
 * Something that counts the tokens of a text: the estimator, or an exact tokenizer as a plug-in
 * (see `guardedCounter`). `count` gives an integer >= 0 and never throws.
 */
export interface TokenCounter {
  /** For reports, e.g. `estimate` or `o200k_base`. */
  readonly name: string;
  count(text: string): number;
}

/** The default counter: needs no vocabulary and is about 3 % off, whatever the text is. */
export const estimator: TokenCounter = { name: "estimate", count: estimateTokens };

/** What the role and the delimiters of one message cost (3 to 5 in the published chat formats). */
export const MESSAGE_OVERHEAD = 4;
/** What surrounds a tool call or a tool result: its type, its id, the framing of its fields. */
export const TOOL_OVERHEAD = 8;
/**
 * Characters of a signature for one token of the thinking that it seals: 4/3 base64 characters a
 * byte, about 4 bytes a token.
 */
const SIGNATURE_UNITS_PER_TOKEN = 5;

/**
 * What a message costs, in tokens: its text, reasoning, tool calls (name and JSON input) and tool
 * results, files by their size rules, and the framing around them.
 */
export function messageTokens(message: Message, counter: TokenCounter): number {
  let tokens = MESSAGE_OVERHEAD;
  for (const part of message.parts) tokens += partTokens(part, counter);
  return tokens;
}

/** What any JSON value costs as text, e.g. a tool's schema; 0 for `undefined`. */
export function valueTokens(value: unknown, counter: TokenCounter): number {
  return counter.count(jsonText(value));
}

/** What one part costs, in tokens, its framing included. */
export function partTokens(part: Part, counter: TokenCounter): number {
  switch (part.type) {
    case "text":
      return counter.count(part.text);
    case "reasoning":
      return reasoningTokens(part, counter);
    case "file":
      return fileTokens(part);
    case "tool-call":
      return TOOL_OVERHEAD + counter.count(part.toolName) + inputTokens(part.input, counter);
    case "tool-result":
      return part.output.reduce((sum, piece) => sum + partTokens(piece, counter), TOOL_OVERHEAD);
    case "opaque":
      return opaqueTokens(part, counter);
  }
}

function inputTokens(input: unknown, counter: TokenCounter): number {
  return counter.count(typeof input === "string" ? input : jsonText(input));
}

/**
 * The larger of the text and what the signature seals: a provider that shows a summary, or
 * nothing, of the thinking still bills the thinking itself, whose encrypted form is the signature.
 */
function reasoningTokens(part: ReasoningPart, counter: TokenCounter): number {
  const sealed = Math.floor((part.signature?.length ?? 0) / SIGNATURE_UNITS_PER_TOKEN);
  return Math.max(counter.count(part.text), sealed);
}

function opaqueTokens(part: OpaquePart, counter: TokenCounter): number {
  return part.tokens ?? counter.count(jsonTextWithoutBlobs(part.source.value));
}

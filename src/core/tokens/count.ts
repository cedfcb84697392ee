import type { Message, Part, ReasoningPart } from "../message/index.ts";
import { splitsPoint } from "../text/utf8.ts";
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

/** The name of the estimator among the counters. */
export const ESTIMATOR_NAME = "estimate";

/** True of the estimator, whose counts are about 3 % off, and not of an exact counter. */
export function isEstimator(counter: TokenCounter): boolean {
  return counter.name === ESTIMATOR_NAME;
}

/** The cost of a message's role and delimiters (3 to 5 in the published chat formats). */
export const MESSAGE_OVERHEAD = 4;
/** The cost of all that surrounds a tool call or a tool result: its type, its id, the framing of its fields. */
export const TOOL_OVERHEAD = 8;
/**
 * Characters of a signature for one token of the thinking that it seals: 4/3 base64 characters a
 * byte, about 4 bytes a token.
 */
const SIGNATURE_UNITS_PER_TOKEN = 5;

/**
 * The cost of a message, in tokens: its text, reasoning, tool calls (name and JSON input) and tool
 * results, files by their size rules, and the framing around them.
 */
export function messageTokens(message: Message, counter: TokenCounter): number {
  return message.parts.reduce((sum, part) => sum + partTokens(part, counter), MESSAGE_OVERHEAD);
}

/** The cost of any JSON value as text, in tokens, e.g. a tool's schema; 0 for `undefined`. */
export function valueTokens(value: unknown, counter: TokenCounter): number {
  return counter.count(jsonText(value));
}

/** The cost of one part, in tokens, its framing included. */
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
      return part.tokens ?? counter.count(jsonTextWithoutBlobs(part.source.value));
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

/**
 * The longest run without a boundary that a tokenizer is given at once. Merging is quadratic in the
 * length of a run in every common JS tokenizer (1 MB of one letter takes minutes); slices of 1,024
 * units keep it linear and change the count by at most 0.04 %.
 */
const MAX_RUN = 1_024;

/** Longer texts are handed over in chunks of about this many units, cut where it changes nothing. */
const MAX_CHUNK = 65_536;

/**
 * Makes a counter from an exact tokenizer that the caller brings along, safe on every input. `encode`
 * gives the number of tokens of a text; it must not throw on the names of special tokens.
 *
 * ```ts
 * import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
 *
 * const disallowedSpecial = new Set<string>(); // else a text with "<|endoftext|>" throws
 * const counter = guardedCounter("o200k_base", (text) => countTokens(text, { disallowedSpecial }));
 * ```
 */
export function guardedCounter(name: string, encode: (text: string) => number): TokenCounter {
  return { name, count: (text) => countInSlices(text, encode) };
}

function countInSlices(text: string, encode: (text: string) => number): number {
  if (text.length <= MAX_RUN) return text === "" ? 0 : encode(text);
  let tokens = 0;
  let start = 0;
  let boundary = 0;
  for (let i = 1; i < text.length; i++) {
    const safe = isBoundary(text.charCodeAt(i - 1), text.charCodeAt(i));
    if (safe) boundary = i;
    const due = safe ? i - start >= MAX_CHUNK : i - boundary >= MAX_RUN;
    if (!due) continue;
    const end = splitsPoint(text, i) ? i - 1 : i;
    tokens += encode(text.slice(start, end));
    start = end;
    boundary = end;
  }
  return tokens + encode(text.slice(start));
}

/**
 * The pre-tokenizers of o200k and cl100k always part two such units, so that a cut changes
 * no count: after an ASCII letter or digit, before any other ASCII character. The apostrophe is not
 * one, since `don't` is one piece.
 */
function isBoundary(left: number, right: number): boolean {
  return isAlphanumeric(left) && right < 0x80 && right !== 0x27 && !isAlphanumeric(right);
}

function isAlphanumeric(unit: number): boolean {
  const letter = unit | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
}

/** A string longer than this, made of base64 characters only, is a blob and no prose. */
const BLOB_UNITS = 1_024;
const BLOB = /^[A-Za-z0-9+/_\-\r\n]+={0,2}$/;

/**
 * A value as the JSON a provider would send, near enough to count it; "" for `undefined`. Never
 * throws on what `JSON.stringify` refuses: cycles, bigints and objects nested ten thousand deep.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return walkedText(value, false);
  }
}

/** Like {@link jsonText}, but of every blob (a long base64 string) only the first 1,024 units. */
function jsonTextWithoutBlobs(value: unknown): string {
  try {
    return JSON.stringify(value, (_key, item: unknown) => clipBlob(item)) ?? "";
  } catch {
    return walkedText(value, true);
  }
}

function clipBlob(item: unknown): unknown {
  if (typeof item !== "string" || item.length <= BLOB_UNITS || !BLOB.test(item)) return item;
  return item.slice(0, BLOB_UNITS);
}

/** The same without recursion: each object is written once, so that a cycle ends. */
function walkedText(root: unknown, clipBlobs: boolean): string {
  const pieces: string[] = [];
  const seen = new Set<object>();
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const item = stack.pop();
    if (typeof item !== "object" || item === null) {
      pieces.push(scalarText(clipBlobs ? clipBlob(item) : item));
    } else if (seen.has(item)) {
      pieces.push("null");
    } else {
      seen.add(item);
      pieces.push(Array.isArray(item) ? "[]" : "{}");
      pushChildren(stack, item);
    }
  }
  return pieces.join(",");
}

function pushChildren(stack: unknown[], item: object): void {
  if (Array.isArray(item)) {
    for (let i = item.length - 1; i >= 0; i--) stack.push(item[i]);
    return;
  }
  for (const [key, child] of Object.entries(item).toReversed()) stack.push(child, key);
}

function scalarText(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "function" || typeof value === "symbol" ? "null" : String(value);
}

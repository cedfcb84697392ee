import { ContextError } from "../core/error.ts";
import type { Message } from "../core/message/index.ts";
import type { Dialect, DialectTraits } from "../dialects/dialect.ts";
import { NEUTRAL_VERSION } from "./signs.ts";

/** The dialect of each format that can be written, loaded when it is asked for. */
const DIALECTS = {
  neutral: async () => (await import("../dialects/neutral/neutral.ts")).neutral,
  "ai-sdk": async () => (await import("../dialects/ai-sdk/ai-sdk.ts")).aiSdk,
  anthropic: async () => (await import("../dialects/anthropic/anthropic.ts")).anthropic,
  "openai-responses": async () =>
    (await import("../dialects/openai-responses/openai-responses.ts")).openaiResponses,
  "openai-chat": async () => (await import("../dialects/openai-chat/openai-chat.ts")).openaiChat,
} as const;

/** The formats that a conversation can be written in. */
export type WriteTarget = keyof typeof DIALECTS;

/** All of them; the one that loses least stands first. */
export const WRITE_TARGETS = Object.keys(DIALECTS) as readonly WriteTarget[];

/**
 * A conversation as pretty-printed JSON with a line end behind it; the reader recognises it.
 * Messages that came from the target format and were not edited go out as the objects they were.
 * Of the others, this is what each target can say, besides roles, texts, calls and results:
 *
 * - `neutral` (`{ "format": "longhaul", "version": 1, "messages": [...] }`): everything but the
 *   native `source`; it is read back equal.
 * - `ai-sdk` (a list of `ModelMessage`): reasoning without its signature, files, kinds, metadata,
 *   failed results, and the marks of pruned ones. Not: ids, times and usage of messages.
 *   A system message in the middle becomes a user message of its kind, or `injected`.
 * - `anthropic` (`{ system?, messages }`): files in user messages and results (PDF and images),
 *   failed results, and a summary's kind. Not: reasoning from elsewhere, other kinds, ids, times,
 *   usage, metadata and marks. Neighbours of one role are merged, a leading assistant gets a user
 *   message before it, and input that is no object is wrapped into one.
 * - `openai-responses` (a list of items): files in user messages and results (PDF and images), and
 *   a summary's kind. Of a session of Codex also sealed reasoning and what the provider carried
 *   out. Not: reasoning from elsewhere, failures as such, other kinds, ids, times, usage, metadata
 *   and marks. Each result is an item of its own; free text is the input of a custom tool.
 * - `openai-chat` (a list of messages): files in user messages and a summary's kind. Not:
 *   reasoning from elsewhere, failures as such, files in results, other kinds, ids, times, usage,
 *   metadata and marks. Each result is a message of its own.
 *
 * Providers' targets also give call ids and tool names the form their API accepts.
 * Throws `ContextError` code `invalid-options` for another target, and `invalid-message` for values
 * that are no JSON.
 */
export async function writeConversation(
  messages: readonly Message[],
  to: WriteTarget,
): Promise<string> {
  const native = (await dialectOf(to)).encode(messages);
  const content =
    to === "neutral" ? { format: "longhaul", version: NEUTRAL_VERSION, messages: native } : native;
  return `${pretty(content)}\n`;
}

/** The rules of a target's provider, for a compaction whose result is written in that format. */
export async function writeTraits(to: WriteTarget): Promise<DialectTraits> {
  return (await dialectOf(to)).traits;
}

/** The dialect of a plain format. Throws `ContextError` code `invalid-options` for another name. */
export async function dialectOf(to: WriteTarget): Promise<Dialect> {
  if (Object.hasOwn(DIALECTS, to)) return (await DIALECTS[to]()) as Dialect;
  throw new ContextError(
    "invalid-options",
    `A conversation cannot be written as "${to}". Choose one of: ${WRITE_TARGETS.join(", ")}.`,
    { details: { option: "to", value: to, known: WRITE_TARGETS } },
  );
}

function pretty(value: unknown): string {
  try {
    return JSON.stringify(value, undefined, 2);
  } catch (cause) {
    throw new ContextError(
      "invalid-message",
      "The conversation cannot be written as JSON: a value in it refers to itself, is a bigint or is nested too deep. Remove it.",
      { cause },
    );
  }
}

import type { AiSdkMessage } from "../dialects/ai-sdk/wire.ts";
import { marksOf } from "../dialects/anthropic/wire.ts";
import { isWireObject, type WireObject } from "../dialects/wire.ts";

/** The cache breakpoints in the messages of a format. */
export interface Marks<Native> {
  readonly count: (message: Native) => number;
  readonly remove: (message: Native) => Native;
}

/**
 * The messages with no more cache breakpoints than the caller's own list has: callers move theirs on
 * with every request, but what was edited before still has those of its time, and a provider takes
 * only a few.
 */
export function withoutStaleMarks<Native extends object>(
  messages: readonly Native[],
  given: readonly Native[],
  { count, remove }: Marks<Native>,
): readonly Native[] {
  const sum = (list: readonly Native[]): number =>
    list.reduce((all, message) => all + count(message), 0);
  // Most steps edit nothing and most callers mark nothing; their lists may be long.
  const marked = messages === given ? 0 : sum(messages);
  let stale = marked === 0 ? 0 : marked - sum(given);
  if (stale <= 0) return messages;
  const own = new Set(given);
  return messages.map((message) => {
    const marks = stale > 0 && !own.has(message) ? count(message) : 0;
    stale -= marks;
    return marks === 0 ? message : remove(message);
  });
}

/** Those of the wire, `cache_control`; `withContent` copies a message with other content. */
export function wireMarks<Native extends object>(
  withContent: (message: Native, content: unknown) => Native,
): Marks<Native> {
  return {
    count: (message) => marksOf(message).length,
    remove: (message) =>
      withContent(message, unmarked((message as { readonly content?: unknown }).content)),
  };
}

function unmarked(content: unknown): unknown {
  if (Array.isArray(content)) return content.map(unmarked);
  if (!isWireObject(content)) return content;
  const { cache_control: _, ...rest } = content;
  return "content" in rest ? { ...rest, content: unmarked(rest["content"]) } : rest;
}

/** Providers' names for a cache breakpoint among the options of a message or a part. */
const NAMES = ["cacheControl", "cache_control", "cachePoint"] as const;

export const aiSdkMarks: Marks<AiSdkMessage> = {
  count(message) {
    const parts: readonly object[] = typeof message.content === "string" ? [] : message.content;
    return [message, ...parts].filter(hasMark).length;
  },
  remove(message) {
    const { content } = message;
    if (typeof content === "string") return withoutMarks(message);
    return { ...withoutMarks(message), content: content.map(withoutMarks) };
  },
};

function hasMark(value: object): boolean {
  const { providerOptions } = value as { readonly providerOptions?: unknown };
  if (!isWireObject(providerOptions)) return false;
  return Object.values(providerOptions).some(
    (options) => isWireObject(options) && NAMES.some((name) => isWireObject(options[name])),
  );
}

function withoutMarks<Value extends object>(value: Value): Value {
  if (!hasMark(value)) return value;
  const { providerOptions } = value as { readonly providerOptions?: WireObject };
  const kept = Object.entries(providerOptions ?? {}).map(([provider, options]) => {
    const own = Object.entries(isWireObject(options) ? options : {});
    const names: readonly string[] = NAMES;
    return [provider, Object.fromEntries(own.filter(([name]) => !names.includes(name)))];
  });
  return { ...value, providerOptions: Object.fromEntries(kept) as WireObject };
}

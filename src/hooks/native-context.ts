import { type Context, createContext, type PrepareOptions } from "../context/index.ts";
import type { ContextOptions, ContextReport, Failure, Prepared } from "../context/index.ts";
import type { Message, Usage } from "../core/message/index.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { followNatives } from "./follow-natives.ts";

/** How the conversations of a dialect are taken apart. */
export interface NativeFormat<Conversation, Native> {
  readonly dialect: Dialect<Conversation, Native>;
  /** The messages of a conversation, in order. */
  readonly messagesOf: (conversation: Conversation) => readonly Native[];
  /** The conversation without its messages: what stands beside them, e.g. a system prompt. */
  readonly withoutMessages?: (conversation: Conversation) => Conversation;
}

export interface NativePrepareOptions extends PrepareOptions {
  /** What the provider reported for the request that the newest answer came from. */
  readonly usage?: Usage | undefined;
}

export interface NativePrepared<Conversation> {
  /** What to send: the very object that was given if nothing had to be done. */
  readonly conversation: Conversation;
  /** Absent when the work could not even begin; then `failure` says why. */
  readonly report?: ContextReport;
  /** Why the conversation goes on as it was given. */
  readonly failure?: Failure;
}

/** A context that speaks the messages of one SDK. It never rejects, except by the caller's signal. */
export interface NativeContext<Conversation> {
  readonly context: Context;
  prepare(
    conversation: Conversation,
    options?: NativePrepareOptions,
  ): Promise<NativePrepared<Conversation>>;
  /** {@link Context.recover}: what to send instead of what was refused, or `undefined`. */
  recover(
    conversation: Conversation,
    error: unknown,
  ): Promise<NativePrepared<Conversation> | undefined>;
}

/**
 * Creates a context for native conversations. It fails open: whatever goes wrong, the conversation
 * goes on as it was given, and a `failed` event says why. Throws `invalid-options` like
 * `createContext`.
 */
export function createNativeContext<Conversation, Native>(
  format: NativeFormat<Conversation, Native>,
  options: ContextOptions,
): NativeContext<Conversation> {
  const { dialect } = format;
  const context = createContext({ traits: dialect.traits, ...options });
  const decode = decoderOf(format);
  const native = (given: Conversation, messages: readonly Message[], prepared: Prepared) => ({
    conversation: prepared.messages === messages ? given : dialect.encode(prepared.messages, given),
    report: prepared.report,
  });
  return {
    context,
    async prepare(conversation, { usage, ...rest } = {}) {
      try {
        const messages = decode(conversation, usage);
        return native(conversation, messages, await context.prepare(messages, rest));
      } catch (error) {
        if (rest.signal?.aborted === true) throw error;
        return { conversation, failure: context.fail(error) };
      }
    },
    async recover(conversation, error) {
      try {
        const messages = decode(conversation);
        const prepared = await context.recover(messages, error);
        return prepared && native(conversation, messages, prepared);
      } catch (cause) {
        context.fail(cause);
        return undefined;
      }
    },
  };
}

/** Decodes what stands beside the messages once, and every message once. */
function decoderOf<Conversation, Native>({
  dialect,
  messagesOf,
  withoutMessages,
}: NativeFormat<Conversation, Native>): (
  conversation: Conversation,
  usage?: Usage,
) => readonly Message[] {
  const follower = followNatives(() => dialect.createDecoder());
  let beside: Conversation | undefined;
  let leading: readonly Message[] = [];
  return (conversation, usage) => {
    const messages = follower.decode(messagesOf(conversation), usage);
    if (withoutMessages === undefined) return messages;
    const rest = withoutMessages(conversation);
    // The same text must be the same message in every step.
    if (beside === undefined || !hasSameFields(rest, beside)) leading = dialect.decode(rest);
    beside = rest;
    return [...leading, ...messages];
  };
}

function hasSameFields(one: unknown, other: unknown): boolean {
  const entries = (value: unknown): [string, unknown][] =>
    typeof value === "object" && value !== null ? Object.entries(value) : [];
  const known = new Map(entries(other));
  const isSame = ([name, value]: [string, unknown]): boolean => {
    const before = known.get(name);
    const areEmpty =
      Array.isArray(value) && Array.isArray(before) && value.length + before.length === 0;
    return value === before || areEmpty;
  };
  return entries(one).length === known.size && entries(one).every(isSame);
}

import { type Context, createContext, type PrepareOptions } from "../context/index.ts";
import type { ContextOptions, ContextReport, Failure, Prepared } from "../context/index.ts";
import type { Message, Usage } from "../core/message/index.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { isSameMessage } from "../context/journal/fingerprint.ts";
import { followNatives } from "./follow-natives.ts";
import { createRefusedReasoning } from "./refused-reasoning.ts";
import { isSameValue } from "./same-values.ts";

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
  readonly usage?: Usage;
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
  /**
   * {@link Context.recover}: what to send instead of what was refused, or `undefined`. Thinking that
   * the provider takes for that of another conversation is left out from then on.
   */
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
  return nativeContextOn(createContext({ traits: format.dialect.traits, ...options }), format);
}

/** The same on a context that there is already: a provider may have several formats. */
export function nativeContextOn<Conversation, Native>(
  context: Context,
  format: NativeFormat<Conversation, Native>,
): NativeContext<Conversation> {
  const { dialect } = format;
  const follower = followerOf(format);
  const reasoning = createRefusedReasoning();
  const native = (
    given: Conversation,
    messages: readonly Message[],
    { messages: sent, report }: Prepared,
  ): NativePrepared<Conversation> => {
    if (isSameList(sent, messages)) return { conversation: given, report };
    const conversation = dialect.encode(sent);
    if (report.action !== "none") follower.adopt(conversation, sent);
    return { conversation, report };
  };
  return {
    context,
    async prepare(conversation, { usage, ...rest } = {}) {
      try {
        const messages = follower.decode(conversation, usage);
        const prepared = await context.prepare(reasoning.without(messages), rest);
        return native(conversation, messages, prepared);
      } catch (error) {
        if (rest.signal?.aborted === true) throw error;
        return { conversation, failure: context.fail(error) };
      }
    },
    async recover(conversation, error) {
      try {
        const messages = follower.decode(conversation);
        const kept = reasoning.without(messages);
        const prepared = reasoning.refused(kept, error)
          ? await context.prepare(reasoning.without(kept))
          : await context.recover(kept, error);
        return prepared && native(conversation, messages, prepared);
      } catch (cause) {
        context.fail(cause);
        return undefined;
      }
    },
  };
}

function isSameList(one: readonly Message[], other: readonly Message[]): boolean {
  if (one === other) return true;
  return one.length === other.length && one.every((message, index) => message === other[index]);
}

/** Decodes what stands beside the messages once, and every message once. */
function followerOf<Conversation, Native>({
  dialect,
  messagesOf,
  withoutMessages,
}: NativeFormat<Conversation, Native>): {
  decode(conversation: Conversation, usage?: Usage): readonly Message[];
  adopt(conversation: Conversation, messages: readonly Message[]): void;
} {
  const follower = followNatives(() => dialect.createDecoder());
  let beside: Conversation | undefined;
  let leading: readonly Message[] = [];
  const lead = (conversation: Conversation): readonly Message[] => {
    if (withoutMessages === undefined) return leading;
    const rest = withoutMessages(conversation);
    // The same text must be the same message in every step.
    if (beside === undefined || !isSameValue(rest, beside)) leading = dialect.decode(rest);
    beside = rest;
    return leading;
  };
  return {
    decode: (conversation, usage) => {
      const messages = follower.decode(messagesOf(conversation), usage);
      const first = lead(conversation);
      return first.length === 0 ? messages : [...first, ...messages];
    },
    adopt(conversation, messages) {
      const { length } = lead(conversation);
      // What stands beside was encoded again, so it must still be what it was.
      if (length === 0 || isSameMessage(leading[0], messages[0])) {
        follower.adopt(messagesOf(conversation), messages.slice(length));
      }
    },
  };
}

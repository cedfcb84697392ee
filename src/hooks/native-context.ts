import { isSameMessage } from "../context/chain.ts";
import { reportFailure, type Context } from "../context/create-context.ts";
import { withParts, type Message, type Part, type Usage } from "../core/message/message.ts";
import { errorText } from "../core/overflow/error-layers.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { followNatives, isSameValue } from "./follow-natives.ts";
import type { ContextReport, Failure, Prepared, PrepareOptions } from "../context/index.ts";

/** How the conversations of a dialect are taken apart. */
export interface NativeFormat<Conversation, Native> {
  readonly dialect: Dialect<Conversation, Native>;
  /** The messages of a conversation, in order. */
  readonly messagesOf: (conversation: Conversation) => readonly Native[];
  /** The conversation without its messages: what stands beside them, e.g. a system prompt. */
  readonly withoutMessages?: (conversation: Conversation) => Conversation;
}

interface NativePrepareOptions extends PrepareOptions {
  /** What the provider reported for the request that the newest answer came from. */
  readonly usage?: Usage;
}

interface NativePrepared<Conversation> {
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
 * A context for native conversations. It fails open: whatever goes wrong, the conversation goes on as
 * it was given, and a `failed` event says why.
 */
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
        return { conversation, failure: reportFailure(context, error) };
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
        reportFailure(context, cause);
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

/**
 * How providers say that sealed thinking does not belong to the conversation: what stood before it
 * was edited by a context that is forgotten, e.g. because its process has ended.
 */
const REFUSAL =
  /bound to a different conversation|invalid `?signature`? in `?thinking`? block|encrypted content[^]{0,80}could not be (?:verified|decrypted)/i;

export function isReasoningRefusal(error: unknown): boolean {
  return REFUSAL.test(errorText(error));
}

/** The thinking that a provider refused. */
interface RefusedReasoning {
  /** Notes all sealed thinking if the error is such a refusal; whether there was any to note. */
  refused(messages: readonly Message[], error: unknown): boolean;
  /** The messages without what was noted; the very list if it has nothing of that. */
  without(messages: readonly Message[]): readonly Message[];
}

function createRefusedReasoning(): RefusedReasoning {
  const signatures = new Set<string>();
  const stripped = new WeakMap<Message, Message>();
  const isRefused = (part: Part): boolean =>
    part.type === "reasoning" && part.signature !== undefined && signatures.has(part.signature);
  const strip = (message: Message): Message => {
    if (message.role !== "assistant" || !message.parts.some(isRefused)) return message;
    // The same message must be the same object in every step.
    const known = stripped.get(message);
    if (known !== undefined) return known;
    const made = withParts(
      message,
      message.parts.filter((part) => !isRefused(part)),
    );
    stripped.set(message, made);
    return made;
  };
  return {
    refused(messages, error) {
      if (!isReasoningRefusal(error)) return false;
      const before = signatures.size;
      for (const part of messages.flatMap(({ parts }) => parts)) {
        if (part.type === "reasoning" && part.signature !== undefined) {
          signatures.add(part.signature);
        }
      }
      return signatures.size > before;
    },
    without(messages) {
      if (signatures.size === 0) return messages;
      const kept = messages.map(strip);
      const isSame = kept.every((message, index) => message === messages[index]);
      return isSame ? messages : kept.filter(({ parts }) => parts.length > 0);
    },
  };
}

import { isSameMessage } from "../context/chain.ts";
import { noteTools, reportFailure } from "../context/create-context.ts";
import type {
  Context,
  ContextReport,
  Failure,
  Prepared,
  PrepareOptions,
} from "../context/index.ts";
import { ContextError } from "../core/error.ts";
import { withParts } from "../core/message/message.ts";
import type { Message, Part, Usage } from "../core/message/index.ts";
import { errorText } from "../core/overflow/error-layers.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { isSameList } from "../dialects/native-message.ts";
import {
  type ArrivalFormat,
  followArrivals,
  followNatives,
  isSameValue,
} from "./follow-natives.ts";
import { createManagedCheck } from "./managed.ts";
import { type Marks, withoutStaleMarks } from "./stale-marks.ts";

/** The parts of an SDK's conversations; the simplest is the list of its messages. */
export interface NativeFormat<Conversation, Native> extends ArrivalFormat<Native> {
  readonly dialect: Dialect<Conversation, Native>;
  /** The messages of a conversation, in order. @default the conversation itself */
  readonly messagesOf?: (conversation: Conversation) => readonly Native[];
  /** The conversation with others; beside them stands, e.g., a system prompt. @default the messages */
  readonly withMessages?: (conversation: Conversation, messages: readonly Native[]) => Conversation;
  /** The cache breakpoints of its messages, if callers set any. */
  readonly marks?: Marks<Native>;
}

export interface NativePrepareOptions extends PrepareOptions {
  /** The provider's report for the request that the newest answer came from. */
  readonly usage?: Usage;
  /** The setting by which the provider manages the conversation itself: all is left as it is. */
  readonly managedBy?: string;
}

interface NativePrepared<Conversation> {
  /** The conversation to send: the very object that was given if nothing had to be done. */
  readonly conversation: Conversation;
  /** The conversation as it arrived: with the results of tools within the limits of T15. */
  readonly given: Conversation;
  /** Absent when the conversation is left alone, or the work could not begin. */
  readonly report?: ContextReport;
  /** The reason why the conversation goes on as it was given. */
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
    managedBy?: string,
  ): Promise<NativePrepared<Conversation> | undefined>;
}

/** It fails open: the conversation goes on as it was given, and a `failed` event says why. */
export function nativeContextOn<Conversation, Native extends object>(
  context: Context,
  format: NativeFormat<Conversation, Native>,
): NativeContext<Conversation> {
  const { dialect, messagesOf = itself, withMessages = others, marks } = format;
  const arrived = arrivalsOf(format, context);
  const cuts = createCutCheck(context);
  const follower = followerOf(format, () => cuts.seen());
  const reasoning = createRefusedReasoning();
  const isManaged = createManagedCheck(context);
  let isLeft = false;
  const native = (
    given: Conversation,
    messages: readonly Message[],
    { messages: sent, report }: Prepared,
  ): NativePrepared<Conversation> => {
    if (isSameList(sent, messages)) return { conversation: given, given, report };
    const encoded = dialect.encode(sent);
    const own = messagesOf(encoded);
    const unmarked = marks ? withoutStaleMarks(own, messagesOf(given), marks) : own;
    const conversation = unmarked === own ? encoded : withMessages(encoded, unmarked);
    follower.adopt(conversation, sent);
    return { conversation, given, report };
  };
  return {
    context,
    async prepare(conversation, { usage, managedBy, ...rest } = {}) {
      let given = conversation;
      try {
        // New messages are truncated first, and their notices speak of the tools.
        noteTools(context, rest.tools);
        const seen = await arrived(conversation);
        isLeft = isManaged(managedBy ?? seen.managedBy);
        if (isLeft) return { conversation, given };
        ({ given } = seen);
        const messages = follower.decode(given, usage);
        const prepared = await context.prepare(reasoning.without(messages), rest);
        cuts.prepared(prepared.report);
        return native(given, messages, prepared);
      } catch (error) {
        if (rest.signal?.aborted === true) throw error;
        return { conversation: given, given, failure: reportFailure(context, error) };
      }
    },
    async recover(conversation, error, managedBy) {
      if (isLeft || isManaged(managedBy)) return undefined;
      try {
        const { given } = await arrived(conversation);
        const messages = follower.decode(given);
        const kept = reasoning.without(messages);
        const prepared = reasoning.refused(kept, error)
          ? await context.prepare(reasoning.without(kept))
          : await context.recover(kept, error);
        return prepared && native(given, messages, prepared);
      } catch (cause) {
        reportFailure(context, cause);
        return undefined;
      }
    },
  };
}

function arrivalsOf<Conversation, Native extends object>(
  format: NativeFormat<Conversation, Native>,
  { truncation }: Context,
): (conversation: Conversation) => Promise<{ given: Conversation; managedBy?: string }> {
  const { messagesOf = itself, withMessages = others } = format;
  const arrive = followArrivals(format, truncation);
  return async (conversation) => {
    const list = messagesOf(conversation);
    // A conversation of another shape is for the decoder to complain about.
    if (!Array.isArray(list)) return { given: conversation };
    const { messages, managedBy } = await arrive(list);
    const given = messages === list ? conversation : withMessages(conversation, messages);
    return { given, managedBy };
  };
}

/** The messages of a conversation that is the list of them. */
export function itself<Conversation, Native>(conversation: Conversation): readonly Native[] {
  return conversation as unknown as readonly Native[];
}

export function others<Conversation, Native>(
  _: Conversation,
  messages: readonly Native[],
): Conversation {
  return messages as unknown as Conversation;
}

/** Says once that somebody else cut a history, and that edits went with what they cut. */
function createCutCheck(context: Context) {
  let isSeen = false;
  let isTold = false;
  return {
    seen(): void {
      isSeen = true;
    },
    prepared({ droppedEdits }: ContextReport): void {
      const isLost = isSeen && droppedEdits > 0;
      isSeen = false;
      if (isTold || !isLost) return;
      isTold = true;
      const problem = "Messages were taken out of this conversation before it got here";
      const who = "a memory that gives the last ones only, a trimmer or another summarizer";
      const message = `${problem}, and a summary went with what it stood for; switch off what does it (${who}), and let the whole history come.`;
      reportFailure(context, new ContextError("history-cut", message));
    },
  };
}

/** A follower of the messages, and of what stands beside them: each is decoded once. */
function followerOf<Conversation, Native extends object>(
  { dialect, messagesOf = itself, withMessages }: NativeFormat<Conversation, Native>,
  onCut: () => void,
) {
  const follower = followNatives(() => dialect.createDecoder(), onCut);
  let lastRest: Conversation | undefined;
  let leading: readonly Message[] = [];
  const lead = (conversation: Conversation): readonly Message[] => {
    if (withMessages === undefined) return leading;
    const rest = withMessages(conversation, []);
    // The same text must be the same message in every step.
    if (lastRest === undefined || !isSameValue(rest, lastRest)) leading = dialect.decode(rest);
    lastRest = rest;
    return leading;
  };
  return {
    decode(conversation: Conversation, usage?: Usage): readonly Message[] {
      const messages = follower.decode(messagesOf(conversation), usage);
      const first = lead(conversation);
      return first.length === 0 ? messages : [...first, ...messages];
    },
    adopt(conversation: Conversation, messages: readonly Message[]): void {
      const { length } = lead(conversation);
      // The rest of the request was encoded again, so it must still be what it was.
      if (length === 0 || isSameMessage(leading[0], messages[0])) {
        follower.adopt(messagesOf(conversation), messages.slice(length));
      }
    },
  };
}

/**
 * Providers say so that sealed thinking does not belong to the conversation: what stood before it
 * was edited by a context that is forgotten, e.g. because its process has ended.
 */
const REFUSAL =
  /bound to a different conversation|invalid `?signature`? in `?thinking`? block|encrypted content[^]{0,80}could not be (?:verified|decrypted)/i;

export function isReasoningRefusal(error: unknown): boolean {
  return REFUSAL.test(errorText(error));
}

function createRefusedReasoning() {
  const signatures = new Set<string>();
  const stripped = new WeakMap<Message, Message>();
  const isRefused = (part: Part): boolean =>
    part.type === "reasoning" && part.signature !== undefined && signatures.has(part.signature);
  const strip = (message: Message): Message => {
    if (message.role !== "assistant" || !message.parts.some(isRefused)) return message;
    // The same message must be the same object in every step.
    const known = stripped.get(message);
    if (known !== undefined) return known;
    const kept = message.parts.filter((part) => !isRefused(part));
    const made = withParts(message, kept);
    stripped.set(message, made);
    return made;
  };
  return {
    /** Notes all sealed thinking if the error is such a refusal; whether there was any to note. */
    refused(messages: readonly Message[], error: unknown): boolean {
      if (!isReasoningRefusal(error)) return false;
      const before = signatures.size;
      for (const part of messages.flatMap(({ parts }) => parts)) {
        if (part.type === "reasoning" && part.signature !== undefined) {
          signatures.add(part.signature);
        }
      }
      return signatures.size > before;
    },
    /** The messages without what was noted; the very list if it has nothing of that. */
    without(messages: readonly Message[]): readonly Message[] {
      if (signatures.size === 0) return messages;
      const kept = messages.map(strip);
      const isSame = kept.every((message, index) => message === messages[index]);
      return isSame ? messages : kept.filter(({ parts }) => parts.length > 0);
    },
  };
}

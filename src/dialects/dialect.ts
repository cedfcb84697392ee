import type { Message } from "../core/message/index.ts";
import type { DialectTraits } from "../core/plan/index.ts";

export type { DialectTraits } from "../core/plan/index.ts";

/** A rule of the provider that a conversation breaks. */
export interface DialectIssue {
  /** Stable name of the rule, e.g. `unpaired-tool-result`. */
  readonly rule: string;
  /** Index of the native message, if one is to blame. */
  readonly index?: number;
  /** One sentence. */
  readonly message: string;
}

/** Takes native messages one by one, and returns the messages that are complete with it. */
export interface Decoder<Native = unknown> {
  (native: Native): readonly Message[];
  /**
   * The message that later native messages may still join, as it stands now: the list may end here.
   * Asking changes nothing, and until something joins it is the same object. Only dialects in which
   * several native messages make one message have it.
   */
  readonly open?: () => readonly Message[];
}

export interface CheckOptions {
  /**
   * Whether the conversation is sent as it is. Otherwise it may end with an answer of the
   * assistant: the user speaks next. @default false
   */
  readonly asRequest?: boolean;
}

/**
 * A message format of a provider or an SDK. `encode(decode(x))` is `x`, with the very same native
 * objects: unknown fields and blocks travel untouched. An edited message keeps the unknown fields
 * of its native original. Messages from elsewhere are encoded from their parts.
 */
export interface Dialect<Conversation = unknown, Native = unknown> {
  readonly name: string;
  readonly traits: DialectTraits;
  /** Decodes a whole conversation. Throws `ContextError` code `invalid-message`. */
  decode(conversation: Conversation): readonly Message[];
  /** A decoder that takes native messages one by one and remembers open tool calls. */
  createDecoder(): Decoder<Native>;
  encode(messages: readonly Message[]): Conversation;
  /** The issues for which the provider would reject it; none in a legal conversation. */
  check(conversation: Conversation, options?: CheckOptions): readonly DialectIssue[];
}

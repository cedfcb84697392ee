import {
  checkMessages,
  describeValue,
  type Message,
  shapeProblem,
} from "../../core/message/index.ts";
import type { Dialect, DialectIssue } from "../dialect.ts";
import { invalidWire } from "../wire-value.ts";
import { plainPart } from "./plain-part.ts";
import { NEUTRAL, type NeutralMessage } from "./wire.ts";

/**
 * Takes neutral messages from JSON. A message is taken as it is: the same object. Throws
 * `ContextError` code `invalid-message`.
 */
export function decodeNeutral(conversation: readonly NeutralMessage[]): readonly Message[] {
  if (!Array.isArray(conversation)) {
    throw invalidWire({ dialect: NEUTRAL }, `is ${describeValue(conversation)} and no array`);
  }
  const decode = createNeutralDecoder();
  return conversation.flatMap((native: NeutralMessage) => decode(native));
}

/** A decoder that takes neutral messages one by one. */
export function createNeutralDecoder(): (native: NeutralMessage) => readonly Message[] {
  let index = 0;
  return (native) => {
    const place = { dialect: NEUTRAL, index };
    index += 1;
    const problem = shapeProblem(native);
    if (problem !== undefined) throw invalidWire(place, problem);
    return [plainMessage(native)];
  };
}

/** Gives neutral messages as plain JSON: without native sources, the same object if it has none. */
export function encodeNeutral(messages: readonly Message[]): NeutralMessage[] {
  return messages.map(plainMessage);
}

function plainMessage(message: Message): Message {
  const parts = message.parts.map(plainPart);
  const isPlain = parts.every((part, at) => part === message.parts[at]);
  if (isPlain && message.source === undefined) return message;
  const { source: _source, ...rest } = message;
  return { ...rest, parts: isPlain ? message.parts : parts };
}

/** What makes a conversation illegal for every provider. */
export function checkNeutral(conversation: readonly NeutralMessage[]): readonly DialectIssue[] {
  if (conversation.length > 0) return checkMessages(conversation);
  return [{ rule: "empty-conversation", message: "There must be at least one message." }];
}

/** The neutral messages themselves, as JSON. */
export const neutral: Dialect<readonly NeutralMessage[], NeutralMessage> = {
  name: NEUTRAL,
  traits: { summaryRole: "system", boundReasoning: false, endsWithInput: false },
  decode: decodeNeutral,
  createDecoder: createNeutralDecoder,
  encode: encodeNeutral,
  check: checkNeutral,
};

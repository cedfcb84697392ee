import { checkMessages } from "../../core/message/check.ts";
import { shapeProblem } from "../../core/message/shape.ts";
import { listDialect } from "../decoding.ts";
import type { Dialect, DialectIssue } from "../dialect.ts";
import { invalidWire } from "../wire.ts";
import type { Message, OutputPart, Part } from "../../core/message/index.ts";

/**
 * A neutral message as JSON. It has no source; of its parts only opaque ones have one, because
 * there the native block is all there is.
 */
export type NeutralMessage = Omit<Message, "source">;

const NEUTRAL = "neutral";

/** Takes neutral messages from JSON, each as it is: the same object. */
function createNeutralDecoder(): (native: NeutralMessage) => readonly Message[] {
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

/** The issues that make a conversation illegal for every provider. */
function checkNeutral(conversation: readonly NeutralMessage[]): readonly DialectIssue[] {
  if (conversation.length > 0) return checkMessages(conversation);
  return [{ rule: "empty-conversation", message: "There must be at least one message." }];
}

/** The part without native sources; the very same object if it has none. */
function plainPart(part: Part): Part {
  if (part.type === "opaque") return part;
  const { source, ...plain } = part;
  if (part.type !== "tool-result") return source === undefined ? part : plain;
  const output = part.output.map((piece) => plainPart(piece) as OutputPart);
  const isPlain = output.every((piece, at) => piece === part.output[at]);
  if (isPlain && source === undefined) return part;
  return { ...(plain as typeof part), output: isPlain ? part.output : output };
}

/** The neutral messages themselves, as JSON. */
export const neutral: Dialect<readonly NeutralMessage[], NeutralMessage> = {
  ...listDialect(NEUTRAL, createNeutralDecoder),
  traits: { summaryRole: "system", boundReasoning: false, endsWithInput: false },
  encode: encodeNeutral,
  check: checkNeutral,
};

import type { Message } from "../../core/message/index.ts";
import { type Draft, fromNative } from "../native-message.ts";
import { splitSummary } from "../summary-slice.ts";
import { describeValue, invalidWire, isWireObject, requiredString } from "../wire-value.ts";
import { decodeContent } from "./decode-part.ts";
import { readMessageMarks } from "./own-options.ts";
import { AI_SDK, type AiSdkMessage } from "./wire.ts";

/** Decodes an array of `ModelMessage`. Throws `ContextError` code `invalid-message`. */
export function decodeAiSdk(conversation: readonly AiSdkMessage[]): readonly Message[] {
  if (!Array.isArray(conversation)) {
    throw invalidWire({ dialect: AI_SDK }, `is ${describeValue(conversation)} and no array`);
  }
  const decode = createAiSdkDecoder();
  return conversation.flatMap((native: AiSdkMessage) => decode(native));
}

/** A decoder that takes messages one by one, each in constant time. */
export function createAiSdkDecoder(): (native: AiSdkMessage) => readonly Message[] {
  let index = 0;
  return (native) => {
    const drafts = decodeMessage(native, index);
    index += 1;
    return fromNative(AI_SDK, native, drafts);
  };
}

function decodeMessage(native: unknown, index: number): Draft[] {
  const place = { dialect: AI_SDK, index };
  if (!isWireObject(native)) throw invalidWire(place, `is ${describeValue(native)} and no object`);
  const role = requiredString(native, "role", place);
  const marks = readMessageMarks(native);
  const parts = decodeContent(native, place);
  switch (role) {
    case "system":
    case "user":
      return marks.kind === undefined
        ? splitSummary({ role, parts, ...marks })
        : [{ role, parts, ...marks }];
    case "assistant":
    case "tool":
      return [{ role, parts, ...marks }];
    default:
      throw invalidWire(place, `has the unknown role "${role}"`);
  }
}

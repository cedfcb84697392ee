import type { Message, Part } from "../../core/message/index.ts";
import type { Decoder } from "../dialect.ts";
import { decodeList } from "../decoding.ts";
import { fromNative } from "../native-message.ts";
import { createSeenCalls, decodeItem } from "./decode-item.ts";
import { fromReply, OPENAI_RESPONSES, type ReplySource, type ResponsesItem } from "./wire.ts";

/**
 * Decodes the items of a conversation. What the model said in a row (reasoning, messages, calls) is
 * one assistant message; each output is a tool message. Throws `ContextError` code
 * `invalid-message`.
 */
export function decodeOpenAIResponses(conversation: readonly ResponsesItem[]): readonly Message[] {
  return decodeList(OPENAI_RESPONSES, conversation, createOpenAIResponsesDecoder());
}

/** A reply that further items may join. */
interface OpenReply {
  readonly items: ResponsesItem[];
  readonly parts: Part[];
  /** All of it as a message, until another item joins. */
  message?: Message;
}

export function createOpenAIResponsesDecoder(): Decoder<ResponsesItem> {
  const calls = createSeenCalls();
  let index = 0;
  let reply: OpenReply | undefined;
  /** The last reply that held reasoning, while nothing but outputs came since. */
  let thought: ReplySource["value"] | undefined;

  const open = (): readonly Message[] => {
    if (reply === undefined) return [];
    reply.message ??= fromReply(reply, thought);
    return [reply.message];
  };
  const close = (): readonly Message[] => {
    const closed = open();
    const [message] = closed;
    if (message?.parts.some((part) => part.type === "reasoning") === true) {
      thought = message.source?.value as ReplySource["value"];
    }
    reply = undefined;
    return closed;
  };
  const decode = (native: ResponsesItem): readonly Message[] => {
    const decoded = decodeItem(native, calls, { dialect: OPENAI_RESPONSES, index });
    index += 1;
    if (decoded.type === "reply") {
      reply ??= { items: [], parts: [] };
      reply.items.push(native);
      reply.parts.push(...decoded.parts);
      delete reply.message;
      return [];
    }
    const closed = close();
    if (decoded.drafts.some(({ role }) => role !== "tool")) thought = undefined;
    return [...closed, ...fromNative(OPENAI_RESPONSES, native, decoded.drafts)];
  };
  return Object.assign(decode, { open });
}

import type { Message, OutputPart, Part } from "../../core/message/index.ts";
import { createCallIds } from "../call-ids.ts";
import { answerPending, outputAsText } from "../foreign-text.ts";
import {
  groupByNative,
  isOutputPart,
  type NativeGroup,
  nativeCallIds,
  nativeOf,
  withFields,
} from "../native-message.ts";
import type { WireObject } from "../wire.ts";
import {
  encodeContent,
  encodeResult,
  keepCall,
  MAX_CALL_ID,
  type SentCalls,
} from "./encode-call.ts";
import { encodeReply } from "./encode-reply.ts";
import {
  isItem,
  itemType,
  OPENAI_RESPONSES,
  type ReplySource,
  type ResponsesItem,
  type ResponsesMessage,
} from "./wire.ts";

interface EncodeState {
  readonly calls: SentCalls;
  /** The native replies that went out with all of their reasoning. */
  readonly whole: Set<unknown>;
}

/**
 * Encodes to an array of items. Untouched messages are the very objects that were decoded, edited
 * ones are copies with what changed; messages from elsewhere are built from their parts, without
 * ids (their reasoning stays out: it is another provider's).
 */
export function encodeOpenAIResponses<Native extends ResponsesItem = ResponsesItem>(
  messages: readonly Message[],
): Native[] {
  const ids = createCallIds(MAX_CALL_ID, nativeCallIds(messages, OPENAI_RESPONSES));
  const state: EncodeState = { calls: { ids, types: new Map() }, whole: new Set() };
  const groups = groupByNative(answerPending(messages), OPENAI_RESPONSES);
  return groups.flatMap((group) => encodeGroup(group, state)) as Native[];
}

function encodeGroup(group: NativeGroup, state: EncodeState): ResponsesItem[] {
  const { calls, whole } = state;
  const items = itemsOf(group);
  const parts = group.messages.flatMap((message) => message.parts);
  const isCutOff = isWithoutThought(group, state);
  if (group.isWhole && !isCutOff) {
    for (const part of parts) if (part.type === "tool-call") keepCall(part, calls);
    whole.add(group.native);
    return [...items];
  }
  switch (group.messages[0]?.role) {
    case "assistant": {
      const sent = encodeReply(parts, items, { calls, isCutOff });
      if (holdsReasoning(items, sent)) whole.add(group.native);
      return sent;
    }
    case "tool":
      return parts.flatMap((part) => encodeAnswer(part, calls));
    default:
      return encodeInput(group, items[0]);
  }
}

function itemsOf({ native }: NativeGroup): readonly ResponsesItem[] {
  if (native === undefined) return [];
  return Array.isArray(native) ? (native as ResponsesItem[]) : [native as ResponsesItem];
}

/** Whether the reply whose reasoning may be this one's does not stand before it any more. */
function isWithoutThought({ messages, native }: NativeGroup, { whole }: EncodeState): boolean {
  if (native === undefined) return false;
  const thought = (messages[0]?.source as ReplySource | undefined)?.thought;
  return thought !== undefined && !whole.has(thought);
}

/** Whether all the native reasoning goes out as it was. */
function holdsReasoning(items: readonly ResponsesItem[], sent: readonly ResponsesItem[]): boolean {
  const left = new Set(sent);
  return items.every((item) => item.type !== "reasoning" || left.has(item));
}

/** One part of a tool message; what another provider keeps there beside results is left out. */
function encodeAnswer(part: Part, calls: SentCalls): ResponsesItem[] {
  if (part.type === "tool-result") return [encodeResult(part, calls)];
  const native = nativeOf(part, OPENAI_RESPONSES);
  return part.type === "opaque" && isItem(native) ? [native] : [];
}

/** A system or user message; an item that is none stays the item it is. */
function encodeInput(
  { messages }: NativeGroup,
  native: ResponsesItem | undefined,
): ResponsesItem[] {
  const parts = messages.flatMap((message) => message.parts).filter(isOutputPart);
  const own = parts.flatMap((part): ResponsesItem[] => {
    const item = part.type === "opaque" ? nativeOf(part, OPENAI_RESPONSES) : undefined;
    return isItem(item) ? [item] : [];
  });
  const said = parts.filter((part) => !own.includes(part.source?.value as ResponsesItem));
  if (said.length === 0 && own.length > 0) return own;
  const message = native !== undefined && itemType(native as WireObject) === "message";
  if (message) {
    const before = (native as WireObject)["content"];
    return [...own, withFields(native, { content: encodeContent(said, before, "input") })];
  }
  return [...own, newMessage(messages[0]?.role === "system" ? "system" : "user", said)];
}

function newMessage(role: "system" | "user", parts: readonly OutputPart[]): ResponsesMessage {
  const content =
    role === "system" ? outputAsText(parts) : encodeContent(parts, undefined, "input");
  return { type: "message", role, content: content as ResponsesMessage["content"] };
}

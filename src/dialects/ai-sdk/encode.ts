import type { Message, OutputPart, Part } from "../../core/message/index.ts";
import { outputAsText } from "../foreign-text.ts";
import { groupByNative, type NativeGroup, nativeOf, withFields } from "../native-message.ts";
import { isWireBlock, isWireObject, type WireBlock, type WireObject } from "../wire-value.ts";
import { providerOption } from "./decode-part.ts";
import { encodePart } from "./encode-part.ts";
import { messageOptions } from "./own-options.ts";
import { AI_SDK, type AiSdkMessage } from "./wire.ts";

/**
 * Encodes to an array of `ModelMessage`. Untouched messages are the very objects that were decoded,
 * edited ones are copies with what changed. A message from elsewhere is built from its parts; in the
 * middle of the list the SDK has no system role, so such a message becomes a user message.
 */
export function encodeAiSdk<Native extends AiSdkMessage = AiSdkMessage>(
  messages: readonly Message[],
): Native[] {
  const groups = groupByNative(messages, AI_SDK);
  const body = groups.findIndex(({ messages: [first] }) => !isLeading(first));
  const encoded = groups.flatMap((group, at) => encodeGroup(group, body < 0 || at < body));
  return encoded as Native[];
}

function isLeading(message: Message | undefined): boolean {
  return message?.role === "system" && message.kind !== "summary";
}

/** A message that says nothing any more is left out. */
function encodeGroup(group: NativeGroup, isBeforeBody: boolean): AiSdkMessage[] {
  const native = group.native as (AiSdkMessage & WireObject) | undefined;
  if (native !== undefined && group.isWhole) return [native];
  const [message] = group.messages;
  if (message === undefined) return [];
  const content = encodeContent(group, native?.role ?? message.role);
  if (content.length === 0) return [];
  if (native !== undefined) {
    // A kind holds for the whole native message or for none of it.
    const marked = group.messages.length === 1 ? message : undefined;
    const providerOptions = messageOptions(marked, native.providerOptions);
    return [withFields(native, { content, providerOptions })];
  }
  const isMoved = message.role === "system" && !isBeforeBody;
  const built = isMoved ? asInjected(message) : message;
  const providerOptions = messageOptions(built, undefined);
  const options = providerOptions === undefined ? {} : { providerOptions };
  return [{ role: built.role, content, ...options } as AiSdkMessage];
}

/** A system message as a user message that nobody takes for something the person typed. */
function asInjected(message: Message): Message {
  return { ...message, role: "user", kind: message.kind ?? "injected" };
}

function encodeContent(group: NativeGroup, role: string): string | readonly WireBlock[] {
  const native = group.native as AiSdkMessage | undefined;
  const parts = group.messages.flatMap((message) => message.parts);
  if (role === "system") return outputAsText(parts.filter(isOutput));
  const only = parts[0];
  const isPlain = parts.length === 1 && only?.type === "text" && only.source === undefined;
  if (isPlain && role !== "tool" && !Array.isArray(native?.content)) return only.text;
  const content = parts.filter((part) => fits(part, role)).flatMap(encodePart);
  return isReasoningDropped(parts, native) ? content.map(withoutItemId) : content;
}

function isOutput(part: Part): part is OutputPart {
  return part.type === "text" || part.type === "file" || part.type === "opaque";
}

/** A tool message holds results and approvals only. */
function fits(part: Part, role: string): boolean {
  if (role !== "tool") return part.type !== "tool-result" || nativeOf(part, AI_SDK) !== undefined;
  return part.type === "tool-result" || nativeOf(part, AI_SDK) !== undefined;
}

function isReasoningDropped(parts: readonly Part[], native: AiSdkMessage | undefined): boolean {
  if (native === undefined || typeof native.content === "string") return false;
  const before = native.content.filter((part) => part.type === "reasoning").length;
  return parts.filter((part) => part.type === "reasoning").length < before;
}

/**
 * OpenAI refuses an item that is named by its id when the reasoning item before it is gone; without
 * the id the item is sent in full.
 */
function withoutItemId(part: WireBlock): WireBlock {
  if (!isWireBlock(part) || part.type === "reasoning") return part;
  if (providerOption(part, "openai", "itemId") === undefined) return part;
  const options = part["providerOptions"] as WireObject;
  const openai = withFields(options["openai"] as WireObject, { itemId: undefined });
  const isEmpty = !isWireObject(openai) || Object.keys(openai).length === 0;
  const rest = withFields(options, { openai: isEmpty ? undefined : openai });
  const providerOptions = Object.keys(rest).length === 0 ? undefined : rest;
  return withFields(part, { providerOptions });
}

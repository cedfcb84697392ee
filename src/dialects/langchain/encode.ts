import type { Message, OutputPart, Part, ToolResultPart } from "../../core/message/index.ts";
import { outputAsText } from "../foreign-text.ts";
import { groupByNative, type NativeGroup, nativeOf } from "../native-message.ts";
import { answerPending } from "../pending-calls.ts";
import type { WireObject } from "../wire-value.ts";
import { encodeAi } from "./encode-ai.ts";
import { encodeBlock, isSaid } from "./encode-block.ts";
import { madeFields, messageKwargs, resultKwargs } from "./marks.ts";
import { createMake, type MakeMessage, withMessageFields } from "./message-object.ts";
import { LANGCHAIN, type LangChainMessage, type LangChainType } from "./wire.ts";

/**
 * Encodes to LangChain messages. Untouched messages are the very objects that were decoded, edited
 * ones are copies of the same class with what changed. A message from elsewhere is made of the class
 * that others of its type have, else as a plain object; in the middle of the list not every model
 * takes a system message, so there it becomes a human one.
 */
export function encodeLangChain<Native extends LangChainMessage = LangChainMessage>(
  messages: readonly Message[],
  before: readonly Native[] = [],
): Native[] {
  const groups = groupByNative(answerPending(messages), LANGCHAIN);
  const make = createMake([...groups.map(({ native }) => native ?? {}), ...before]);
  const body = groups.findIndex(({ messages: [first] }) => !isLeading(first));
  const encoded = groups.flatMap((group, at) => encodeGroup(group, make, body < 0 || at < body));
  return encoded as Native[];
}

function isLeading(message: Message | undefined): boolean {
  return message?.role === "system" && message.kind !== "summary";
}

/** A message that says nothing any more is left out. */
function encodeGroup(
  group: NativeGroup,
  make: MakeMessage,
  isBeforeBody: boolean,
): LangChainMessage[] {
  const native = group.native as (LangChainMessage & WireObject) | undefined;
  if (native !== undefined && group.isWhole) return [native];
  const [message] = group.messages;
  if (message === undefined) return [];
  const parts = group.messages.flatMap((one) => one.parts);
  if (message.role === "tool") return encodeResults(parts, native, make);
  if (message.role === "assistant") return encodeAi(message, native, make);
  const content = encodeContent(parts, native?.content);
  // A kind holds for the whole native message or for none of it.
  const marked = group.messages.length === 1 ? message : undefined;
  if (native !== undefined) {
    const additional_kwargs =
      marked === undefined
        ? native.additional_kwargs
        : messageKwargs(marked, native.additional_kwargs);
    return [withMessageFields(native, { content, additional_kwargs })];
  }
  const isMoved = message.role === "system" && !isBeforeBody;
  const built: Message = isMoved ? { ...message, kind: message.kind ?? "injected" } : message;
  const type: LangChainType = built.role === "system" && !isMoved ? "system" : "human";
  return [make(type, { content, ...madeFields(built) })];
}

/** A text stays a text; blocks stay blocks. */
function encodeContent(parts: readonly Part[], before: unknown): unknown {
  const said = parts.filter(isSaid);
  const isText = said.every((part) => part.type === "text" && part.source === undefined);
  if (isText && said.length <= 1 && !Array.isArray(before)) return outputAsText(said);
  return said.map((part) => encodeBlock(part, "user"));
}

/** Every result is a message of its own. */
function encodeResults(
  parts: readonly Part[],
  native: (LangChainMessage & WireObject) | undefined,
  make: MakeMessage,
): LangChainMessage[] {
  return parts.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const before = nativeOf(part, LANGCHAIN);
    if (native !== undefined && before === native) return [encodeResult(part, native)];
    const additional_kwargs = resultKwargs(part, undefined);
    return [
      make("tool", {
        content: outputContent(part.output, undefined),
        tool_call_id: part.toolCallId,
        name: part.toolName,
        ...(part.isError === true && { status: "error" }),
        ...(additional_kwargs !== undefined && { additional_kwargs }),
      }),
    ];
  });
}

function encodeResult(
  part: ToolResultPart,
  native: LangChainMessage & WireObject,
): LangChainMessage {
  const { content, status } = native;
  const isError = part.isError === true;
  return withMessageFields(native, {
    content: outputContent(part.output, content),
    tool_call_id: part.toolCallId,
    additional_kwargs: resultKwargs(part, native.additional_kwargs),
    status: isError === (status === "error") ? status : isError ? "error" : "success",
  });
}

function outputContent(output: readonly OutputPart[], before: unknown): unknown {
  if (!Array.isArray(before)) return outputAsText(output);
  const blocks = output.map((part) => encodeBlock(part, "other"));
  const isSame =
    blocks.length === before.length && blocks.every((block, at) => block === before[at]);
  return isSame ? before : blocks;
}

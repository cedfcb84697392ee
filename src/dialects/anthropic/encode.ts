import { fileData } from "../../core/message/file-data.ts";
import type {
  FilePart,
  Message,
  OutputPart,
  Part,
  ToolCallPart,
  ToolResultPart,
} from "../../core/message/index.ts";
import { type CallIds, createCallIds, safeName } from "../call-ids.ts";
import { isSameFile } from "../files.ts";
import { answerPending, foreignText } from "../foreign-text.ts";
import {
  groupByNative,
  nativeBlock,
  type NativeGroup,
  nativeCallIds,
  nativeOf,
  withFields,
} from "../native-message.ts";
import {
  type Block,
  isWireBlock,
  isWireObject,
  objectsIn,
  parseInput,
  type WireBlock,
} from "../wire.ts";
import { decodeFile } from "./decode.ts";
import {
  ANTHROPIC,
  type AnthropicContentBlock,
  type AnthropicConversation,
  type AnthropicImageType,
  type AnthropicMessage,
  type AnthropicTextBlock,
  contentBlocks,
} from "./wire.ts";

/** Ids have no published limit; this is longer than any seen. */
const MAX_CALL_ID = 128;
const STARTS_WITH_ASSISTANT = "[The conversation starts with a message of the assistant.]";

/**
 * A message from elsewhere is merged with its neighbours of the same role, and one of the system in
 * the middle becomes a user message.
 */
export function encodeAnthropic<Native extends AnthropicConversation = AnthropicConversation>(
  messages: readonly Message[],
): Native {
  const groups = groupByNative(answerPending(messages), ANTHROPIC);
  const body = groups.findIndex((group) => !isLeading(group));
  const leading = body < 0 ? groups.length : body;
  const system = encodeSystem(groups.slice(0, leading));
  const ids = createCallIds(MAX_CALL_ID, nativeCallIds(messages, ANTHROPIC));
  const drafts = groups
    .slice(leading)
    .map((group) => draftGroup(group, ids))
    .filter((draft) => draft.blocks.length > 0 || draft.whole);
  return { system, messages: finish(mergeNeighbours(drafts)) } as unknown as Native;
}

/** System messages at the beginning go to `system`; a summary and native entries do not. */
function isLeading({ messages: [message], native }: NativeGroup): boolean {
  const isEntry = isWireObject(native) && "role" in native;
  return message?.role === "system" && message.kind !== "summary" && !isEntry;
}

function encodeSystem(groups: readonly NativeGroup[]): AnthropicConversation["system"] {
  const [first] = groups;
  if (first === undefined) return undefined;
  if (groups.length === 1 && first.isWhole) return first.native as AnthropicConversation["system"];
  const parts = groups.flatMap((group) => group.messages.flatMap((message) => message.parts));
  const only = parts[0];
  if (parts.length === 1 && only?.type === "text" && only.source === undefined) {
    return only.text.trim() === "" ? undefined : only.text;
  }
  const ids = createCallIds(MAX_CALL_ID);
  const blocks = parts.flatMap((part) => encodePart(withoutMedia(part), ids));
  return blocks.length > 0 ? blocks : undefined;
}

interface DraftEntry {
  readonly role: AnthropicMessage["role"];
  readonly native: AnthropicMessage | undefined;
  /** True when the native message goes out as it is. */
  readonly whole: boolean;
  readonly blocks: readonly WireBlock[];
}

function draftGroup(group: NativeGroup, ids: CallIds): DraftEntry {
  const native = group.native as AnthropicMessage | undefined;
  const parts = group.messages.flatMap((message) => message.parts);
  const role = native?.role ?? (group.messages[0]?.role === "assistant" ? "assistant" : "user");
  if (native !== undefined && group.isWhole) {
    for (const part of parts) if (part.type === "tool-call") ids.keep(part.toolCallId);
    return { role, native, whole: true, blocks: contentBlocks(native.content) as WireBlock[] };
  }
  const own = role === "user" ? parts : parts.map(withoutMedia);
  return { role, native, whole: false, blocks: own.flatMap((part) => encodePart(part, ids)) };
}

/** Only user messages can hold files from elsewhere. */
function withoutMedia(part: Part): Part {
  if (part.type !== "file" || nativeOf(part, ANTHROPIC) !== undefined) return part;
  return { type: "text", text: foreignText(part) };
}

/** Joins what we built with its neighbours of the same role; native neighbours stay apart. */
function mergeNeighbours(drafts: readonly DraftEntry[]): DraftEntry[] {
  const merged: DraftEntry[] = [];
  for (const draft of drafts) {
    const last = merged.at(-1);
    const isOurs = last?.native === undefined || draft.native === undefined;
    if (last?.role === draft.role && isOurs) merged.splice(-1, 1, join(last, draft));
    else merged.push(draft);
  }
  return merged;
}

function join(first: DraftEntry, second: DraftEntry): DraftEntry {
  const isLater = (block: WireBlock): number => (block.type === "tool_result" ? 0 : 1);
  const blocks = [...first.blocks, ...second.blocks].sort((a, b) => isLater(a) - isLater(b));
  return { role: first.role, native: first.native ?? second.native, whole: false, blocks };
}

function finish(drafts: readonly DraftEntry[]): AnthropicMessage[] {
  const messages = drafts.map((draft, index) => entry(draft, index === drafts.length - 1));
  const [first] = drafts;
  const isLedIn = first?.role === "assistant" && !first.whole;
  return isLedIn ? [{ role: "user", content: STARTS_WITH_ASSISTANT }, ...messages] : messages;
}

function entry(draft: DraftEntry, isLast: boolean): AnthropicMessage {
  const { role, native, blocks } = draft;
  if (native !== undefined && draft.whole) return native;
  const trimmed = isLast && role === "assistant" ? trimLast(blocks) : blocks;
  const only = trimmed[0];
  const before = native?.content;
  const isPlain = trimmed.length === 1 && only?.type === "text" && Object.keys(only).length === 2;
  const isText = isPlain && !Array.isArray(before) && isWireBlock(only);
  const content = isText ? String(only["text"]) : trimmed;
  return native === undefined ? { role, content } : withFields(native, { content });
}

/** The API refuses a final assistant message that ends in white space. */
function trimLast(blocks: readonly WireBlock[]): readonly WireBlock[] {
  const last = blocks.at(-1);
  if (!isWireBlock(last) || last.type !== "text" || typeof last["text"] !== "string") return blocks;
  const text = last["text"].trimEnd();
  return [...blocks.slice(0, -1), ...(text === "" ? [] : [withFields(last, { text })])];
}

/** The API takes tool names up to this length; its ids have no published limit. */
const MAX_TOOL_NAME = 128;
const IMAGE_TYPES: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
]);

/**
 * One part as blocks: the native block where nothing changed, a copy of it where something did, a
 * new one for a part from elsewhere. Empty text gives none, because the API refuses it; reasoning
 * from elsewhere and thinking that was edited give none, because their signature is not valid.
 */
function encodePart(part: Part, ids: CallIds): WireBlock[] {
  const block = nativeBlock(part, ANTHROPIC);
  switch (part.type) {
    case "tool-call":
      return [encodeCall(part, block, ids)];
    case "tool-result":
      return [encodeResult(part, block, ids)];
    case "reasoning": {
      const isBound = block?.type === "redacted_thinking" || block?.["thinking"] === part.text;
      return block !== undefined && isBound ? [block] : [];
    }
    default:
      return encodeOutputPart(part, block);
  }
}

function encodeOutputPart(part: OutputPart, block: Block | undefined): WireBlock[] {
  if (part.type === "text") {
    if (block?.["text"] === part.text) return [block];
    if (part.text.trim() === "") return [];
    if (block === undefined) return [textBlock(part.text)];
    // Citations point into the old text.
    return [withFields(block, { text: part.text, citations: undefined })];
  }
  const isSame = part.type === "opaque" || (block && isSameFile(part, decodeFile(block)));
  if (block !== undefined && isSame) return [block];
  return [part.type === "file" ? encodeFile(part) : textBlock(foreignText(part))];
}

function encodeFile(part: FilePart): AnthropicContentBlock {
  const { mediaType, url } = part;
  const data = fileData(part);
  if (data !== undefined && IMAGE_TYPES.has(mediaType)) {
    const media_type = mediaType as AnthropicImageType;
    return { type: "image", source: { type: "base64", media_type, data } };
  }
  const { filename: title } = part;
  if (mediaType === "application/pdf" && data !== undefined) {
    return { type: "document", title, source: { type: "base64", media_type: mediaType, data } };
  }
  if (url?.startsWith("https://") === true) {
    const source = { type: "url" as const, url };
    if (mediaType.startsWith("image/")) return { type: "image", source };
    if (mediaType === "application/pdf") return { type: "document", title, source };
  }
  return textBlock(foreignText(part));
}

function textBlock(text: string): AnthropicTextBlock {
  return { type: "text", text };
}

function encodeCall(part: ToolCallPart, block: Block | undefined, ids: CallIds): WireBlock {
  if (block !== undefined) {
    ids.keep(part.toolCallId);
    const input = block["input"] === part.input ? part.input : objectInput(part.input);
    return withFields(block, { id: part.toolCallId, input });
  }
  const id = ids.assign(part.toolCallId);
  const name = safeName(part.toolName, MAX_TOOL_NAME);
  return { type: "tool_use", id, name, input: objectInput(part.input) };
}

/** The API takes only an object as input: free text and other values go into one field. */
function objectInput(input: unknown): unknown {
  const parsed = parseInput(input);
  if (isWireObject(parsed)) return parsed;
  return input === undefined || input === "" ? {} : { input };
}

function encodeResult(part: ToolResultPart, block: Block | undefined, ids: CallIds): WireBlock {
  const id = ids.resolve(part.toolCallId);
  const content = encodeOutput(part.output, block?.["content"]);
  if (block === undefined) {
    return { type: "tool_result", tool_use_id: id, content, is_error: part.isError || undefined };
  }
  const marks = marksIn(block["content"]);
  const isLost = marksIn(content).length < marks.length;
  const cache_control = block["cache_control"] ?? (isLost ? marks.at(-1) : undefined);
  return withFields(block, { tool_use_id: id, content, cache_control });
}

/** The cache breakpoints inside a result. */
function marksIn(content: unknown): readonly unknown[] {
  return objectsIn(content).flatMap(({ cache_control: mark }) => mark ?? []);
}

/** The content of a tool result: a string where it was one, or where one text says it all. */
function encodeOutput(output: readonly OutputPart[], before: unknown): unknown {
  if (output.length === 0) return Array.isArray(before) && before.length === 0 ? before : undefined;
  const only = output[0];
  if (!Array.isArray(before) && output.length === 1 && only?.type === "text") return only.text;
  const blocks = output.flatMap((part) => encodeOutputPart(part, nativeBlock(part, ANTHROPIC)));
  return blocks.length > 0 ? blocks : undefined;
}

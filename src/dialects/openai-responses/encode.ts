import type { Message, OutputPart, Part } from "../../core/message/index.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { words } from "../../core/text/words.ts";
import { createCallIds } from "../call-ids.ts";
import { answerPending, foreignText, outputAsText } from "../foreign-text.ts";
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
  encodeForeignCall,
  encodeNativeCall,
  encodeResult,
  keepCall,
  MAX_CALL_ID,
  type SentCalls,
} from "./encode-call.ts";
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
 * Messages from elsewhere are built without ids, and without their reasoning: it is another
 * provider's.
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
  const items = [group.native ?? []].flat() as readonly ResponsesItem[];
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
      const left = new Set(sent);
      if (items.every((item) => item.type !== "reasoning" || left.has(item)))
        whole.add(group.native);
      return sent;
    }
    case "tool":
      return parts.flatMap((part) => encodeAnswer(part, calls));
    default:
      return encodeInput(group, items[0]);
  }
}

/** The reply whose reasoning may be this one's does not stand before it any more. */
function isWithoutThought({ messages, native }: NativeGroup, { whole }: EncodeState): boolean {
  if (native === undefined) return false;
  const thought = (messages[0]?.source as ReplySource | undefined)?.thought;
  return thought !== undefined && !whole.has(thought);
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
  if (native !== undefined && itemType(native as WireObject) === "message") {
    const before = contentOf(native);
    return [...own, withFields(native, { content: encodeContent(said, before, "input") })];
  }
  return [...own, newMessage(messages[0]?.role === "system" ? "system" : "user", said)];
}

function newMessage(role: "system" | "user", parts: readonly OutputPart[]): ResponsesMessage {
  const isText = role === "system";
  const content = isText ? outputAsText(parts) : encodeContent(parts, undefined, "input");
  return { type: "message", role, content: content as ResponsesMessage["content"] };
}

interface Bundle {
  readonly item?: ResponsesItem;
  readonly parts: readonly Part[];
}

/** Items that the API takes without their id; the others name something that the server holds. */
const FREE: ReadonlySet<string> = new Set(
  words(`message function_call custom_tool_call shell_call apply_patch_call tool_search_call
  tool_search_output shell_call_output web_search_call`),
);

/** Items of the others that nothing answers: words can stand for them. */
const CLOSED: ReadonlySet<string> = new Set(
  words("file_search_call code_interpreter_call image_generation_call mcp_call mcp_list_tools"),
);

/**
 * An edited reply as items, each a copy of its native item or that item itself. Ids hold reasoning
 * and what follows it together: while all of the reply is there they stay, else they all go, and
 * with them reasoning that has one (not every server takes it without) or that nothing follows. An
 * item that needs its id keeps the reasoning before it; where that cannot be, words stand for it.
 * @param items The items that the reply was decoded from. A message from elsewhere has none; if all
 *   of its parts have one (a session of Codex), these are all there were.
 */
function encodeReply(
  parts: readonly Part[],
  items: readonly ResponsesItem[],
  { calls, isCutOff }: { readonly calls: SentCalls; readonly isCutOff: boolean },
): ResponsesItem[] {
  const bundles = withNeededReasoning(bundleParts(parts, items), items);
  const kept = new Set(bundles.map(({ item }) => item));
  const made = items.length > 0 ? items : bundles.flatMap(({ item }) => item ?? []);
  const isWhole = !kept.has(undefined) && made.every((item) => kept.has(item)) && !isCutOff;
  const sent = bundles.flatMap((bundle) => encodeBundle(bundle, calls));
  const hasIds = sent.length === made.length && sent.every((item, at) => item.id === made[at]?.id);
  if (isWhole && hasIds) return withoutLooseReasoning(sent);
  const wasThought = isCutOff || items.some(({ type }) => type === "reasoning");
  const unbound = sent.map((item) => (wasThought ? inWords(item) : item)).flatMap(withoutId);
  return withoutLooseReasoning(unbound);
}

function bundleParts(parts: readonly Part[], items: readonly ResponsesItem[]): Bundle[] {
  const owners = ownersOf(items);
  const bundles: { item?: ResponsesItem; parts: Part[] }[] = [];
  for (const part of parts) {
    const native = nativeOf(part, OPENAI_RESPONSES);
    const item = owners.get(native) ?? (isItem(native) ? native : undefined);
    const last = bundles.at(-1);
    if (item === undefined) bundles.push({ parts: [part] });
    else if (last?.item === item) last.parts.push(part);
    else bundles.push({ item, parts: [part] });
  }
  return bundles;
}

function ownersOf(items: readonly ResponsesItem[]): Map<unknown, ResponsesItem> {
  const owners = new Map<unknown, ResponsesItem>();
  for (const item of items) {
    owners.set(item, item);
    const content = (item as WireObject)["content"];
    if (itemType(item as WireObject) !== "message" || !Array.isArray(content)) continue;
    for (const block of content) owners.set(block, item);
  }
  return owners;
}

/** Puts reasoning back that went, where an item stayed that the API refuses without it. */
function withNeededReasoning(
  bundles: readonly Bundle[],
  items: readonly ResponsesItem[],
): readonly Bundle[] {
  const isNeeded = bundles.some(({ item }) => item !== undefined && !isFree(item));
  const kept = new Set(bundles.map(({ item }) => item));
  const lost = items.filter((item) => item.type === "reasoning" && !kept.has(item));
  if (!isNeeded || lost.length === 0) return bundles;
  const restored = [...bundles];
  for (const item of lost) {
    const behind = new Set(items.slice(items.indexOf(item) + 1));
    const at = restored.findIndex((bundle) => bundle.item !== undefined && behind.has(bundle.item));
    restored.splice(at < 0 ? restored.length : at, 0, { item, parts: [] });
  }
  return restored;
}

function isFree(item: ResponsesItem): boolean {
  return item.type === "reasoning" || FREE.has(itemType(item as WireObject) ?? "");
}

function encodeBundle({ item, parts }: Bundle, calls: SentCalls): ResponsesItem[] {
  if (item === undefined) return parts.flatMap((part) => encodeForeign(part, calls));
  const [first] = parts;
  if (first?.type === "tool-call") return [encodeNativeCall(first, item as WireObject, calls)];
  if (itemType(item as WireObject) !== "message" || saysTheSame(parts, contentOf(item))) {
    return [item];
  }
  const content = encodeContent(parts.filter(isOutputPart), contentOf(item), "output");
  return content.length === 0 && contentOf(item)?.length !== 0
    ? []
    : [withFields(item, { content })];
}

function saysTheSame(parts: readonly Part[], content: ReturnType<typeof contentOf>): boolean {
  if (!Array.isArray(content) || content.length !== parts.length) return false;
  return parts.every((part, at) => {
    return part.type === "text" && fieldsOf(content[at])["text"] === part.text;
  });
}

function contentOf(item: ResponsesItem): string | readonly unknown[] | undefined {
  return (item as { readonly content?: string | readonly unknown[] }).content;
}

/** Reasoning from elsewhere stays out: its sealed form is another provider's. */
function encodeForeign(part: Part, calls: SentCalls): ResponsesItem[] {
  if (part.type === "tool-call") return [encodeForeignCall(part, calls)];
  if (!isOutputPart(part)) return [];
  const content = part.type === "text" ? part.text : foreignText(part);
  return content === "" ? [] : [saying(content)];
}

function inWords(item: ResponsesItem): ResponsesItem {
  const kind = item.type ?? "";
  if (!CLOSED.has(kind)) return item;
  const source = { dialect: OPENAI_RESPONSES, value: item };
  return saying(foreignText({ type: "opaque", kind, source }));
}

function saying(content: string): ResponsesMessage {
  return { type: "message", role: "assistant", content };
}

function withoutId(item: ResponsesItem): ResponsesItem[] {
  if (!isFree(item) || typeof item.id !== "string") return [item];
  return item.type === "reasoning" ? [] : [withFields(item, { id: undefined })];
}

/** The API refuses reasoning that is not followed by what it led to. */
function withoutLooseReasoning(items: readonly ResponsesItem[]): ResponsesItem[] {
  const last = items.findLastIndex((item) => item.type !== "reasoning");
  return items.slice(0, last + 1);
}

import type { Part } from "../../core/message/index.ts";
import { foreignText } from "../foreign-text.ts";
import { isOutputPart, nativeOf, withFields } from "../native-message.ts";
import { isWireObject, type WireObject } from "../wire.ts";
import {
  encodeContent,
  encodeForeignCall,
  encodeNativeCall,
  type SentCalls,
} from "./encode-call.ts";
import {
  isItem,
  itemType,
  OPENAI_RESPONSES,
  type ResponsesItem,
  type ResponsesMessage,
} from "./wire.ts";
import { words } from "../../core/text/words.ts";

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
const CLOSED: ReadonlySet<string> = new Set([
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_call",
  "mcp_list_tools",
]);

/**
 * An edited reply as items, each a copy of its native item or that item itself. Ids hold reasoning
 * and what follows it together: while all of the reply is there they stay, else they all go, and
 * with them reasoning that has one (not every server takes it without) or that nothing follows. An
 * item that needs its id keeps the reasoning before it; where that cannot be, words stand for it.
 * @param items The items that the reply was decoded from. A message from elsewhere has none; if all
 *   of its parts have one (a session of Codex), these are all there were.
 */
export function encodeReply(
  parts: readonly Part[],
  items: readonly ResponsesItem[],
  { calls, isCutOff }: { readonly calls: SentCalls; readonly isCutOff: boolean },
): ResponsesItem[] {
  const bundles = withNeededReasoning(bundleParts(parts, items), items);
  const kept = new Set(bundles.map(({ item }) => item));
  const made = items.length > 0 ? items : bundles.flatMap(({ item }) => item ?? []);
  const isWhole = !kept.has(undefined) && made.every((item) => kept.has(item)) && !isCutOff;
  const sent = bundles.flatMap((bundle) => encodeBundle(bundle, calls));
  if (isWhole && hasItsIds(sent, made)) return withoutLooseReasoning(sent);
  const wasThought = isCutOff || items.some(({ type }) => type === "reasoning");
  const unbound = sent.map((item) => (wasThought ? inWords(item) : item)).flatMap(withoutId);
  return withoutLooseReasoning(unbound);
}

/** Whether what goes out has the ids of the native items, one for one. */
function hasItsIds(sent: readonly ResponsesItem[], items: readonly ResponsesItem[]): boolean {
  return sent.length === items.length && sent.every((item, at) => item.id === items[at]?.id);
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

/** Whether the texts of a message are those of its parts, one by one. */
function saysTheSame(parts: readonly Part[], content: ReturnType<typeof contentOf>): boolean {
  if (!Array.isArray(content) || content.length !== parts.length) return false;
  return parts.every((part, at) => {
    const block: unknown = content[at];
    return part.type === "text" && isWireObject(block) && block["text"] === part.text;
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

import type { SummaryPrompt } from "../../core/summary/prompt/index.ts";
import { encodeAnthropic } from "../../dialects/anthropic/encode.ts";
import type { AnthropicConversation, AnthropicMessage } from "../../dialects/anthropic/wire.ts";
import { isWireBlock, isWireObject, type WireBlock, type WireObject } from "../../dialects/wire.ts";
import { instructionMessage, type Live, wireTools } from "../live-request.ts";
import type { LiveRequest } from "../summarizer.ts";

/** The part of a request that holds what is said. */
export type AnthropicContent = AnthropicConversation & { readonly tools?: readonly WireObject[] };

/** The API takes at most this many cache breakpoints in one request. */
const MAX_BREAKPOINTS = 4;
/** Blocks that cannot carry a breakpoint. */
const THINKING = new Set(["thinking", "redacted_thinking"]);

export function promptContent({ system, user }: SummaryPrompt): AnthropicContent {
  return { system, messages: [{ role: "user", content: user }] };
}

/**
 * The agent's own request up to what is to be summarized, with a cache breakpoint on its last block,
 * and the instruction behind it. `undefined` if its tools are not of this API.
 */
export function liveContent(live: Live): AnthropicContent | undefined {
  const tools = wireTools(live, isTool);
  if (tools === undefined) return undefined;
  const encoded = encodeAnthropic([...live.messages, instructionMessage(live)]);
  const system = joinSystem(live.system, encoded.system);
  const content: AnthropicContent = {
    ...(tools.length > 0 && { tools }),
    ...(system !== undefined && { system }),
    messages: encoded.messages,
  };
  if (breakpoints(content) >= MAX_BREAKPOINTS) return content;
  return { ...content, messages: markShared(encoded.messages) };
}

/** Whether {@link liveContent} has something to give. */
export function canReuse(live: LiveRequest): boolean {
  return wireTools(live, isTool) !== undefined;
}

/** Tools of the caller have a schema, those of the API itself a type with a date. */
function isTool(tool: WireObject): boolean {
  const isOwn = typeof tool["type"] === "string" && !/^(?:function|provider)/.test(tool["type"]);
  return typeof tool["name"] === "string" && (isOwn || isWireObject(tool["input_schema"]));
}

/** What stands beside the messages comes first. */
function joinSystem(
  beside: string | undefined,
  leading: AnthropicConversation["system"],
): AnthropicConversation["system"] {
  if (beside === undefined || beside === "") return leading;
  return leading === undefined ? beside : [...blocksOf(beside), ...blocksOf(leading)];
}

function blocksOf(content: AnthropicMessage["content"]): readonly WireBlock[] {
  if (typeof content !== "string") return content ?? [];
  return [{ type: "text", text: content }];
}

/** Counts `cache_control` wherever it may stand. */
function breakpoints({ system, tools = [], messages }: AnthropicContent): number {
  const blocks = [...blocksOf(system), ...messages.flatMap(({ content }) => blocksOf(content))];
  const inner = blocks.flatMap((block) =>
    isWireBlock(block) && Array.isArray(block["content"]) ? block["content"] : [],
  );
  return [...tools, ...blocks, ...inner].filter(
    (block: unknown) => isWireObject(block) && isWireObject(block["cache_control"]),
  ).length;
}

/** Puts a breakpoint on the last block before the instruction, which is the last block of all. */
function markShared(messages: readonly AnthropicMessage[]): readonly AnthropicMessage[] {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message === undefined) continue;
    const blocks = blocksOf(message.content);
    const shared = at === messages.length - 1 ? blocks.slice(0, -1) : blocks;
    const index = shared.findLastIndex((block) => canBeMarked(block));
    if (index >= 0) return messages.with(at, { ...message, content: markBlock(blocks, index) });
  }
  return messages;
}

function canBeMarked(block: WireBlock): boolean {
  return !THINKING.has(block.type) && (!isWireBlock(block) || block["text"] !== "");
}

function markBlock(blocks: readonly WireBlock[], index: number): readonly WireBlock[] {
  return blocks.map((block, at) =>
    at === index ? { cache_control: { type: "ephemeral" }, ...block } : block,
  );
}

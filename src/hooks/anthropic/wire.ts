import type { Usage } from "../../core/message/index.ts";
import type { AnthropicConversation, AnthropicMessage } from "../../dialects/anthropic/wire.ts";
import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import { isManaging } from "../managed.ts";

/** The body of a request for a message, as far as it matters here. */
export type MessageBody = WireObject & {
  readonly messages: readonly AnthropicMessage[];
  readonly system?: AnthropicConversation["system"];
};

export function isMessageBody(value: unknown): value is MessageBody {
  return isWireObject(value) && Array.isArray(value["messages"]);
}

/** The path of the requests that make a message; not those that count tokens or start batches. */
export function isMessageUrl(url: string): boolean {
  return /\/v1\/messages(?:\?|$)/.test(url);
}

/**
 * What in a request says that the API manages the conversation itself: then what is sent is not all
 * that the model sees, and must not be edited.
 */
export function managedBy(body: MessageBody): string | undefined {
  const { context_management: management, compaction, thread } = body;
  if (isManaging(management)) return "context_management";
  if (isManaging(compaction)) return "compaction";
  if (thread !== undefined && thread !== null) {
    return "thread; with `thread: false` the tool runner sends the whole history";
  }
  return body.messages.some(hasCompaction) ? "a compaction block" : undefined;
}

function hasCompaction({ content }: AnthropicMessage): boolean {
  return (
    Array.isArray(content) &&
    content.some((block) => isWireObject(block) && block["type"] === "compaction")
  );
}

/**
 * Models that check what stands before a thinking block. Older ones take any prefix and, while
 * thinking is on, want the thinking of the last turn back. Which is which is in the API's
 * documentation of preserved thinking; a model that is not known is taken for a new one.
 */
const UNBOUND =
  /claude-(?:[23]|instant|(?:opus|sonnet|haiku)-(?:4|3)(?:$|[-@:.])|(?:opus|sonnet|haiku)-5(?:$|[-@:](?!5)))/;

export function bindsReasoning({ model }: MessageBody): boolean {
  return typeof model !== "string" || !UNBOUND.test(model);
}

/** The beta that allows {@link droppingBlocks}. */
export const BINDING_BETA = "thinking-binding-controls-2026-08-01";

/**
 * Whether the API can be asked to leave out the thinking that no longer fits. It is where thinking
 * is on; there an answer that has lost its thinking would be refused.
 */
export function canDropBlocks({ thinking }: MessageBody): boolean {
  return (
    isWireObject(thinking) && (thinking["type"] === "enabled" || thinking["type"] === "adaptive")
  );
}

/** The request that asks for it, unless the caller said already what shall happen. */
export function droppingBlocks(body: MessageBody): MessageBody {
  const thinking = body["thinking"] as WireObject;
  if (isWireObject(thinking["block_binding"])) return body;
  const block_binding = { prefix_mismatch_behavior: "drop_block" };
  return { ...body, thinking: { ...thinking, block_binding } };
}

export function withBindingBeta(headers: unknown): Headers {
  const all = new Headers(headers as Headers);
  const betas = all.get("anthropic-beta");
  if (betas?.includes(BINDING_BETA) === true) return all;
  all.set("anthropic-beta", betas === null ? BINDING_BETA : `${betas},${BINDING_BETA}`);
  return all;
}

/** The usage that a message reports. */
export async function usageOfBody(response: Response): Promise<Usage | undefined> {
  const body: unknown = await response.json();
  return isWireObject(body) ? usageOf(body["usage"]) : undefined;
}

/**
 * The usage of a streamed message: the input is in its first event, the output in its last. What
 * comes behind that is not waited for: the caller may have the whole answer, and go on or hang up.
 */
export async function usageOfStream({ body }: Response): Promise<Usage | undefined> {
  const { createParser } = await import("eventsource-parser");
  let usage: Readonly<Record<string, unknown>> = {};
  let isWhole = false;
  const parser = createParser({
    onEvent({ data }) {
      const event: unknown = data.includes('"usage"') ? JSON.parse(data) : undefined;
      if (!isWireObject(event)) return;
      const message = isWireObject(event["message"]) ? event["message"] : event;
      if (isWireObject(message["usage"])) usage = { ...usage, ...message["usage"] };
      isWhole ||= isWireObject(event["delta"]) && event["delta"]["stop_reason"] != null;
    },
  });
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece?.value === undefined) break;
    parser.feed(decoder.decode(piece.value, { stream: true }));
    if (isWhole) break;
  }
  // Ends with the caller's own reading.
  void reader?.cancel().catch(() => undefined);
  return usageOf(usage);
}

function usageOf(usage: unknown): Usage | undefined {
  if (!isWireObject(usage)) return undefined;
  const { input_tokens: input, output_tokens: output } = usage;
  if (typeof input !== "number" || typeof output !== "number") return undefined;
  return {
    input,
    output,
    cacheRead: numberOf(usage["cache_read_input_tokens"]),
    cacheWrite: numberOf(usage["cache_creation_input_tokens"]),
  };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

import type { AnthropicConversation, AnthropicMessage } from "../../dialects/anthropic/wire.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { anthropicUsage, isWireObject, objectsIn, type WireObject } from "../../dialects/wire.ts";
import { isManaging } from "../managed.ts";
import type { AnswerFacts, WireApi } from "../wire-answer.ts";

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
 * The sign that the API manages the conversation itself: more than is sent may be seen by the
 * model.
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

/** The provider compacted the conversation: nothing before that block counts. */
export function hasCompaction({ content }: { readonly content?: unknown }): boolean {
  return objectsIn(content).some(({ type }) => type === "compaction");
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

/** With thinking on, an answer that has lost its thinking would be refused. */
export function canDropBlocks({ thinking }: MessageBody): boolean {
  const { type } = fieldsOf(thinking);
  return type === "enabled" || type === "adaptive";
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

export const messagesApi: WireApi = { read: readMessage, usageOf: anthropicUsage };

/** Events that say nothing of what a model says. */
const SILENT: ReadonlySet<unknown> = new Set(["ping", "content_block_stop", "message_stop"]);

/** A whole message, or an event of a stream: its first has the input's usage, its last the rest. */
function readMessage(value: WireObject): AnswerFacts {
  const { type, content, usage } = value;
  if (type === "error") return { error: value };
  if (type === "message_start") return { usage: fieldsOf(value["message"])["usage"] };
  if (type === "message_delta") return { finish: fieldsOf(value["delta"])["stop_reason"], usage };
  if (SILENT.has(type)) return {};
  if (!Array.isArray(content)) return { isAnswer: !isEmptyBlock(value["content_block"]) };
  const isAnswer = !content.every(isEmptyBlock);
  return { isAnswer, finish: value["stop_reason"], usage };
}

function isEmptyBlock(block: unknown): boolean {
  const { type, text } = fieldsOf(block);
  return type === "text" && text === "";
}

import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import type { SummaryAnswer, SummaryFinish, SummaryUsage } from "../summarizer.ts";

const FINISHES: Readonly<Record<string, SummaryFinish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-calls",
  refusal: "content-filter",
};
const CALL = /^(?:server_|mcp_)?tool_use$/;

/** An answer in the making; `isComplete` once the API has said so. */
export interface AnthropicAnswer extends SummaryAnswer {
  readonly toolCalls: number;
  readonly isComplete: boolean;
}

export const NO_ANSWER: AnthropicAnswer = { text: "", toolCalls: 0, isComplete: false };

/** Takes in a whole message, or the next event of a stream. Thinking is left out. */
export function addAnthropic(answer: AnthropicAnswer, event: unknown): AnthropicAnswer {
  if (!isWireObject(event)) return answer;
  switch (event["type"]) {
    case "message":
      return { ...wholeMessage(answer, event), isComplete: true };
    case "message_start":
      return isWireObject(event["message"]) ? wholeMessage(answer, event["message"]) : answer;
    case "content_block_start":
      return addBlock(answer, event["content_block"]);
    case "content_block_delta":
      return addBlock(answer, event["delta"]);
    case "message_delta":
      return addEnd(answer, { ...event, ...objectOf(event["delta"]) });
    case "message_stop":
      return { ...answer, isComplete: true };
    default:
      return answer;
  }
}

function wholeMessage(answer: AnthropicAnswer, message: WireObject): AnthropicAnswer {
  const content: readonly unknown[] = Array.isArray(message["content"]) ? message["content"] : [];
  return addEnd(content.reduce(addBlock, answer), message);
}

/** A block, or the piece of one. */
function addBlock(answer: AnthropicAnswer, block: unknown): AnthropicAnswer {
  if (!isWireObject(block)) return answer;
  const { type, text } = block;
  if (typeof type === "string" && CALL.test(type)) {
    return { ...answer, toolCalls: answer.toolCalls + 1 };
  }
  const isText = (type === "text" || type === "text_delta") && typeof text === "string";
  return isText ? { ...answer, text: answer.text + text } : answer;
}

function addEnd(answer: AnthropicAnswer, end: WireObject): AnthropicAnswer {
  const reason = end["stop_reason"];
  const usage = addUsage(answer.usage, end["usage"]);
  return {
    ...answer,
    ...(usage !== undefined && { usage }),
    ...(typeof reason === "string" && { finish: FINISHES[reason] ?? "other" }),
  };
}

/** Counts of a stream are cumulative, and those of the input need not come twice. */
function addUsage(before: SummaryUsage | undefined, usage: unknown): SummaryUsage | undefined {
  if (!isWireObject(usage)) return before;
  const cached = numberOf(usage["cache_read_input_tokens"]);
  const written = numberOf(usage["cache_creation_input_tokens"]);
  const uncached = numberOf(usage["input_tokens"]);
  // Anthropic counts what is read from and written to the cache beside the input.
  const input = (uncached ?? 0) + (cached ?? 0) + (written ?? 0);
  const counted: SummaryUsage = {
    input: Math.max(before?.input ?? 0, input),
    cached: Math.max(before?.cached ?? 0, cached ?? 0),
    output: Math.max(before?.output ?? 0, numberOf(usage["output_tokens"]) ?? 0),
  };
  return counted;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function objectOf(value: unknown): WireObject {
  return isWireObject(value) ? value : {};
}

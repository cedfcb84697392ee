import { isWireObject } from "../../dialects/wire.ts";
import type { SummaryAnswer, SummaryFinish, SummaryUsage } from "../summarizer.ts";

const FINISHES: Readonly<Record<string, SummaryFinish>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
};

/** An answer in the making; `isComplete` once the server has said so. */
export interface ChatAnswer {
  readonly text: string;
  readonly finish?: SummaryFinish;
  readonly usage?: SummaryUsage;
  /** What tells the calls apart: their index, or their place. */
  readonly calls: ReadonlySet<number>;
  readonly isRefused: boolean;
  readonly isComplete: boolean;
}

export const NO_ANSWER: ChatAnswer = {
  text: "",
  calls: new Set(),
  isRefused: false,
  isComplete: false,
};

/** Takes in a whole completion, or the next chunk of a stream. Reasoning is left out. */
export function addChat(answer: ChatAnswer, chunk: unknown): ChatAnswer {
  if (!isWireObject(chunk)) return answer;
  const usage = chatUsage(chunk["usage"]);
  const counted = usage === undefined ? answer : { ...answer, usage };
  const choice: unknown = Array.isArray(chunk["choices"]) ? chunk["choices"][0] : undefined;
  if (!isWireObject(choice)) return counted;
  const said = choice["message"] ?? choice["delta"];
  const added = isWireObject(said) ? addSaid(counted, said) : counted;
  const reason = choice["finish_reason"];
  if (typeof reason !== "string") return added;
  return { ...added, finish: FINISHES[reason] ?? "other", isComplete: true };
}

function addSaid(answer: ChatAnswer, said: Readonly<Record<string, unknown>>): ChatAnswer {
  const calls = Array.isArray(said["tool_calls"]) ? (said["tool_calls"] as unknown[]) : [];
  const indexes = calls.map((call, at) => {
    const index = isWireObject(call) ? call["index"] : undefined;
    return typeof index === "number" ? index : at;
  });
  const legacy = isWireObject(said["function_call"]) ? [-1] : [];
  const refusal = said["refusal"];
  return {
    ...answer,
    text: answer.text + contentText(said["content"]),
    calls: new Set([...answer.calls, ...indexes, ...legacy]),
    isRefused: answer.isRefused || (typeof refusal === "string" && refusal !== ""),
  };
}

/** A string, or blocks of which only the text counts. */
function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.map((block: unknown) =>
    isWireObject(block) && block["type"] === "text" ? block["text"] : "",
  );
  return texts.filter((text) => typeof text === "string").join("");
}

/** `prompt_tokens` has the cached ones in it; DeepSeek names those elsewhere. */
function chatUsage(usage: unknown): SummaryUsage | undefined {
  if (!isWireObject(usage) || typeof usage["prompt_tokens"] !== "number") return undefined;
  const details = usage["prompt_tokens_details"];
  const cached = isWireObject(details)
    ? details["cached_tokens"]
    : usage["prompt_cache_hit_tokens"];
  const output = usage["completion_tokens"];
  return {
    input: usage["prompt_tokens"],
    cached: typeof cached === "number" ? cached : 0,
    output: typeof output === "number" ? output : 0,
  };
}

/** Servers that know no field for it put the model's thinking before its answer. */
const THINKING = /^\s*<think(?:ing)?>[^]*?<\/think(?:ing)?>\s*/;

export function finishedAnswer(answer: ChatAnswer): SummaryAnswer {
  const { text, usage, calls, isRefused } = answer;
  const finish = isRefused ? "content-filter" : (answer.finish ?? "stop");
  return {
    text: text.replace(THINKING, ""),
    ...(usage !== undefined && { usage }),
    finish,
    toolCalls: calls.size,
  };
}

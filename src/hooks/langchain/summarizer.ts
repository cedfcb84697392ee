import { langchainUsage } from "../../dialects/langchain/message-object.ts";
import { isWireBlock, isWireObject, type WireObject } from "../../dialects/wire.ts";
import type {
  Summarizer,
  SummaryAnswer,
  SummaryFinish,
  SummaryRequest,
} from "../../models/summarizer.ts";
import { sdkSummarizer } from "../summarizer.ts";
import { windowOfModel } from "./model.ts";

/** A chat model, or anything else that is invoked with messages. */
export interface ChatModelLike<Answer> {
  invoke(messages: never, config?: never): Promise<Answer>;
}

/** A summarizer on a chat model: that is one by what it answers. */
export function summarizerOf(given: unknown): Summarizer | undefined {
  if (!isChatModel(given)) return undefined;
  return sdkSummarizer({
    name: nameOf(given as unknown as WireObject),
    window: windowOfModel(given),
    ask: async (request) => answerOf(await ask(given, request)),
  });
}

function isChatModel(given: unknown): given is ChatModelLike<unknown> {
  return isWireObject(given) && "invoke" in given && !("summarize" in given);
}

/** What a model says when its answer was cut off; all other words are taken for a whole one. */
const CUT_OFF: ReadonlySet<unknown> = new Set(["max_tokens", "length", "MAX_TOKENS"]);

function ask(model: ChatModelLike<unknown>, { prompt, signal }: SummaryRequest): Promise<unknown> {
  const messages = [
    { role: "system", content: prompt.system },
    { role: "user", content: prompt.user },
  ];
  // Inside of a graph the call would be streamed to whoever watches the agent.
  const tags = ["nostream", "langsmith:nostream"];
  const config = { signal, tags, metadata: { lc_source: "summarization" } };
  return model.invoke(messages as never, config as never);
}

function answerOf(answer: unknown): SummaryAnswer {
  const { content, tool_calls: calls, response_metadata: metadata } = objectOf(answer);
  const { stop_reason, finish_reason, finishReason } = objectOf(metadata);
  const finish: SummaryFinish = CUT_OFF.has(stop_reason ?? finish_reason ?? finishReason)
    ? "length"
    : "stop";
  const usage = langchainUsage(answer);
  return {
    text: textOf(content),
    finish,
    toolCalls: Array.isArray(calls) ? calls.length : 0,
    usage: usage && {
      input: usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0),
      cached: usage.cacheRead ?? 0,
      output: usage.output,
    },
  };
}

/** The words of an answer; its thinking is left out. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  const texts = (content as unknown[]).map((block) => {
    if (typeof block === "string") return block;
    const text = isWireBlock(block) && block.type === "text" ? block["text"] : undefined;
    return typeof text === "string" ? text : "";
  });
  return texts.join("");
}

function nameOf(model: WireObject): string {
  const { _llmType: ask, model: id, modelName } = model;
  const kind: unknown = typeof ask === "function" ? Reflect.apply(ask, model, []) : undefined;
  const words = [kind, id ?? modelName].filter((word) => typeof word === "string");
  return words.join(":") || "chat model";
}

function objectOf(value: unknown): WireObject {
  return isWireObject(value) ? value : {};
}

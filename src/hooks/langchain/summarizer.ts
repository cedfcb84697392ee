import type { ContextOptions } from "../../context/index.ts";
import { langchainUsage } from "../../dialects/langchain/message-object.ts";
import { isWireBlock, isWireObject, type WireObject } from "../../dialects/wire.ts";
import { quoted, summarizerFailed } from "../../models/failure.ts";
import { processEnvironment, redactor, secretsOf } from "../../models/http-options.ts";
import type {
  Summarizer,
  SummaryAnswer,
  SummaryFinish,
  SummaryRequest,
} from "../../models/summarizer.ts";
import { windowOfModel } from "./model.ts";

/** A chat model, or anything else that is invoked with messages. */
export interface ChatModelLike<Answer> {
  invoke(messages: never, config?: never): Promise<Answer>;
}

/** The settings of a context, and a chat model where a summarizer may stand. */
export type LangChainSummarizer = ContextOptions["summarizer"] | ChatModelLike<unknown>;

/** The summarizer that was meant: a chat model is one by what it answers. */
export function summarizerOf(given: LangChainSummarizer): ContextOptions["summarizer"] {
  return isChatModel(given) ? chatModelSummarizer(given) : given;
}

function isChatModel(given: LangChainSummarizer): given is ChatModelLike<unknown> {
  return isWireObject(given) && "invoke" in given && !("summarize" in given);
}

/** What a model says when its answer was cut off; all other words are taken for a whole one. */
const CUT_OFF: ReadonlySet<unknown> = new Set(["max_tokens", "length", "MAX_TOKENS"]);

function chatModelSummarizer(model: ChatModelLike<unknown>): Summarizer {
  const window = windowOfModel(model);
  const name = nameOf(model as unknown as WireObject);
  return {
    name,
    ...(window !== undefined && { window }),
    async summarize(request) {
      request.signal.throwIfAborted();
      try {
        return answerOf(await ask(model, request));
      } catch (error) {
        request.signal.throwIfAborted();
        const redact = redactor(secretsOf(processEnvironment()));
        const message = error instanceof Error ? error.message : String(error);
        throw summarizerFailed(`failed: ${quoted(redact(message))}.`, { summarizer: name });
      }
    },
  };
}

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
    ...(usage !== undefined && {
      usage: {
        input: usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0),
        cached: usage.cacheRead ?? 0,
        output: usage.output,
      },
    }),
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

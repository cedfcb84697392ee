import { isObject } from "../json.ts";
import { openaiErrors } from "../openai-errors.ts";
import type { Exchange, Protocol, World } from "../protocol.ts";
import { firstRefusal, type Refusal } from "../refusal.ts";
import { completionEvents, renderCompletion, type ReplyContext } from "./reply.ts";
import { requestProblems } from "./rules.ts";
import { segmentsOf, viewOf } from "./view.ts";

/** `POST /v1/chat/completions`. */
export const chat: Protocol = {
  ...openaiErrors,
  name: "openai-chat",
  receive({ body }, world) {
    if (!isObject(body)) return openaiErrors.badJson();
    const { server = "openai" } = world.options;
    const refusal = firstRefusal(requestProblems(body, server));
    if (refusal !== undefined) return refusal;
    const view = viewOf(body);
    const segments = segmentsOf(body, world.counter);
    const options = body["stream_options"];
    const wantsUsage = isObject(options) && options["include_usage"] === true;
    const showsReasoning = server !== "openai";
    const context: ReplyContext = { world, model: view.model, wantsUsage, showsReasoning };
    return {
      view,
      promptTokens: segments.reduce((sum, { tokens }) => sum + tokens, 0),
      cacheUse: world.cache.automatic(view.model, segments),
      render: (answer) => renderCompletion(answer, context),
      stream: (answer) => completionEvents(answer, context),
      errorEvents: (refusal, requestId) => [{ data: chat.errorBody(refusal, requestId) }],
    };
  },
  overflow,
};

/** Each server's own words. */
function overflow({ promptTokens, view }: Exchange, { window, options }: World): Refusal {
  const limit = window(view.model);
  const wanted = options.counts === "prompt-and-output" ? (view.maxOutput ?? 0) : 0;
  const common = { status: 400, type: "invalid_request_error", overflow: true } as const;
  switch (options.server ?? "openai") {
    case "openai":
    case "deepseek":
      return {
        ...common,
        message:
          promptTokens > limit
            ? `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`
            : `This model's maximum context length is ${limit} tokens. However, you requested ${promptTokens + wanted} tokens (${promptTokens} in the messages, ${wanted} in the completion). Please reduce the length of the messages or completion.`,
        param: "messages",
        code: "context_length_exceeded",
      };
    case "vllm":
      return {
        ...common,
        type: "BadRequestError",
        message: `This model's maximum context length is ${limit} tokens. However, you requested ${promptTokens + wanted} tokens (${promptTokens} in the messages, ${wanted} in the completion). Please reduce the length of the messages or completion.`,
        details: { code: 400 },
      };
    case "llama.cpp":
      return {
        ...common,
        type: "exceed_context_size_error",
        message: "the request exceeds the available context size, try increasing it",
        details: { code: 400, n_prompt_tokens: promptTokens, n_ctx: limit },
      };
  }
}

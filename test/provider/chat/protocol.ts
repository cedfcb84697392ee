import { isObject } from "../json.ts";
import { openaiErrors } from "../openai-errors.ts";
import type { Protocol } from "../protocol.ts";
import { firstRefusal } from "../refusal.ts";
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
  overflow({ promptTokens, view }, { window }) {
    const limit = window(view.model);
    return {
      status: 400,
      type: "invalid_request_error",
      message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`,
      param: "messages",
      code: "context_length_exceeded",
      overflow: true,
    };
  },
};

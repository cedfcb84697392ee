import { isObject, type JsonObject } from "../json.ts";
import { type Exchange, type Protocol, type Received, type World } from "../protocol.ts";
import { firstRefusal, type Problem, type Problems, type Refusal } from "../refusal.ts";
import type { Answer } from "../types.ts";
import { messageEvents, renderMessage, type ReplyContext } from "./reply.ts";
import { requestProblems } from "./rules.ts";
import { checkThinking, type ThinkingCheck } from "./thinking.ts";
import { segmentsOf, viewOf } from "./view.ts";

const BINDING_BETA = "thinking-binding-controls-2026-08-01";

/** `POST /v1/messages`. */
export const anthropic: Protocol = {
  name: "anthropic",
  idHeader: "request-id",
  authenticate(headers, key) {
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
    const given = headers["x-api-key"] ?? bearer;
    if (given === undefined) return unauthorized("x-api-key header is required");
    return key === undefined || given === key ? undefined : unauthorized("invalid x-api-key");
  },
  receive: receiveMessages,
  overflow: ({ promptTokens, view }, { window }) => ({
    status: 400,
    type: "invalid_request_error",
    message: `prompt is too long: ${promptTokens} tokens > ${window(view.model)} maximum`,
    overflow: true,
  }),
  fault: (kind) => FAULTS[kind],
  tooLarge: () => ({
    status: 413,
    type: "request_too_large",
    message: "Request exceeds the maximum size",
    overflow: true,
  }),
  goneLink: () => ({
    status: 400,
    type: "invalid_request_error",
    message: "Unable to download the file. Please verify the URL and try again.",
  }),
  badJson: () => ({
    status: 400,
    type: "invalid_request_error",
    message: "The request body is not valid JSON",
  }),
  errorBody: ({ type, message, details }, requestId) => ({
    type: "error",
    error: { type, message, ...(details !== undefined && { details }) },
    request_id: requestId,
  }),
};

const FAULTS = {
  "rate-limit": {
    status: 429,
    type: "rate_limit_error",
    message:
      "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
  },
  "server-error": { status: 500, type: "api_error", message: "Internal server error" },
  overloaded: { status: 529, type: "overloaded_error", message: "Overloaded" },
} as const;

function unauthorized(message: string): Refusal {
  return { status: 401, type: "authentication_error", message };
}

function receiveMessages({ body, headers }: Received, world: World): Refusal | Exchange {
  if (!isObject(body)) {
    return firstRefusal(only({ message: "Input should be a valid dictionary" }))!;
  }
  const betas = String(headers["anthropic-beta"] ?? "");
  const refusal =
    firstRefusal(requestProblems(body, headers)) ?? firstRefusal(bindingProblems(body, betas));
  if (refusal !== undefined) return refusal;
  const thinking = checkThinking(body, {
    secret: world.secret,
    onMismatch: onMismatch(body, world),
  });
  if (thinking.problem !== undefined) return firstRefusal(only(thinking.problem))!;
  return exchangeOf(body, thinking, world);
}

function exchangeOf(body: JsonObject, thinking: ThinkingCheck, world: World): Exchange {
  const segments = segmentsOf(body, world.counter, thinking.dropped);
  const view = viewOf(body);
  const context: ReplyContext = {
    world,
    model: view.model,
    place: thinking.end,
    dropped: thinking.dropped,
  };
  return {
    view,
    promptTokens: segments.reduce((sum, { tokens }) => sum + tokens, 0),
    cacheUse: world.cache.marked(view.model, segments),
    complete: (answer) => (isThinking(body) ? withThinking(answer) : answer),
    render: (answer) => renderMessage(answer, context),
    stream: (answer) => messageEvents(answer, context),
    errorEvents: (refusal, requestId) => [
      { event: "error", data: anthropic.errorBody(refusal, requestId) },
    ],
  };
}

function isThinking({ thinking }: JsonObject): boolean {
  return isObject(thinking) && thinking["type"] === "enabled";
}

/** With thinking enabled every answer begins with it. */
function withThinking(answer: Answer): Answer {
  const hasThinking = answer.parts[0]?.type === "reasoning";
  if (hasThinking || answer.parts.length === 0) return answer;
  const thought = { type: "reasoning", text: "Let me see what comes next." } as const;
  return { ...answer, parts: [thought, ...answer.parts] };
}

function* only(problem: Problem): Problems {
  yield problem;
}

function* bindingProblems({ thinking }: JsonObject, betas: string): Problems {
  const wanted = isObject(thinking) && thinking["block_binding"] !== undefined;
  if (wanted && !betas.includes(BINDING_BETA)) {
    yield { message: "thinking.block_binding: Extra inputs are not permitted" };
  }
}

function onMismatch({ thinking }: JsonObject, { options }: World): "error" | "drop" | "ignore" {
  if (options.prefixCheck === false) return "ignore";
  const binding = isObject(thinking) ? thinking["block_binding"] : undefined;
  const isDrop = isObject(binding) && binding["prefix_mismatch_behavior"] === "drop_block";
  return isDrop ? "drop" : "error";
}

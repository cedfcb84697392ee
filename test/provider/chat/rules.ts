import { openaiChat } from "../../../src/dialects/index.ts";
import { isObject, type JsonObject, objects, text, words } from "../json.ts";
import { issueProblems, nameProblems, type Problems } from "../refusal.ts";
import { shape, shapeProblems } from "../shape.ts";
import type { UpstreamOptions } from "../types.ts";

const FIELDS = shape(
  "model! messages! tools tool_choice parallel_tool_calls stream n user",
  "stream_options max_tokens max_completion_tokens temperature top_p stop",
  "frequency_penalty presence_penalty logit_bias logprobs top_logprobs seed",
  "response_format metadata modalities audio prediction reasoning_effort",
  "safety_identifier prompt_cache_key prompt_cache_options prompt_cache_retention",
  "service_tier store verbosity web_search_options functions function_call",
  "moderation",
);
/** Fields of a message by role; what servers that imitate the API add is refused here too. */
const MESSAGE = shape("role! content name");
const MESSAGES = new Map([
  ["tool", shape("role! content tool_call_id! name")],
  ["assistant", shape("role! content name refusal audio tool_calls function_call annotations")],
]);
/** Servers that imitate the API take the reasoning back in the assistant message. */
const COMPATIBLE = new Map([
  ...MESSAGES.get("assistant")!,
  ...shape("reasoning_content reasoning"),
]);
const USER_PARTS = words("text image_url input_audio file");
const MAX_CALL_ID = 40;

export type ChatServer = NonNullable<UpstreamOptions["server"]>;

/** All rules of Chat Completions, as this server has them. */
export function* requestProblems(body: JsonObject, server: ChatServer): Problems {
  yield* fieldProblems(body);
  for (const [index, tool] of objects(body["tools"]).entries()) yield* toolProblems(tool, index);
  yield* issueProblems(openaiChat.check(body["messages"] as never, { asRequest: true }));
  const messages = objects(body["messages"]);
  for (const [index, message] of messages.entries()) {
    yield* messageProblems(message, `messages[${index}]`, server !== "openai");
  }
  if (server === "deepseek") yield* reasoningProblems(messages);
}

function* fieldProblems(body: JsonObject): Problems {
  yield* shapeProblems(body, FIELDS, "");
  if (body["max_tokens"] != null && body["max_completion_tokens"] != null) {
    yield {
      message:
        "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      code: "invalid_parameter_combination",
    };
  }
  if (body["stream_options"] != null && body["stream"] !== true) {
    yield {
      message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      param: "stream_options",
    };
  }
  if (Array.isArray(body["tools"]) && body["tools"].length === 0) {
    yield { message: "Invalid 'tools': empty array.", param: "tools", code: "empty_array" };
  }
  if (body["tool_choice"] != null && objects(body["tools"]).length === 0) {
    yield {
      message: "'tool_choice' is only allowed when 'tools' are specified.",
      param: "tool_choice",
    };
  }
}

/** DeepSeek takes no call back without the reasoning that led to it. */
function* reasoningProblems(messages: readonly JsonObject[]): Problems {
  for (const [index, message] of messages.entries()) {
    const isBare = objects(message["tool_calls"]).length > 0 && !text(message["reasoning_content"]);
    if (!isBare) continue;
    yield {
      message: `Missing \`reasoning_content\` field in the assistant message at message index ${index}.`,
    };
  }
}

function* toolProblems(tool: JsonObject, index: number): Problems {
  const described = tool[String(tool["type"])];
  const isKnown = tool["type"] === "function" || tool["type"] === "custom";
  if (!isKnown || !isObject(described)) {
    yield { message: `tools[${index}]: neither a function nor a custom tool` };
  } else yield* nameProblems(described["name"], `tools[${index}].${String(tool["type"])}.name`);
}

function* messageProblems(message: JsonObject, at: string, isCompatible: boolean): Problems {
  const role = text(message["role"]);
  const own = MESSAGES.get(role) ?? MESSAGE;
  yield* shapeProblems(message, isCompatible && role === "assistant" ? COMPATIBLE : own, at);
  const parts = role === "user" ? objects(message["content"]) : [];
  for (const { type } of parts) {
    if (USER_PARTS.has(text(type))) continue;
    yield { message: `${at}.content: no part is a ${text(type)}` };
  }
  for (const { id } of objects(message["tool_calls"])) {
    if (text(id).length > MAX_CALL_ID) {
      yield { message: `${at}.tool_calls: an id has more than ${MAX_CALL_ID} characters` };
    }
  }
}

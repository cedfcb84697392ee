import { isObject, type JsonObject, objects, text, words } from "../json.ts";
import {
  emptyArray,
  invalidValue,
  missing,
  nameProblems,
  tooLong,
  wrongType,
} from "../openai-problems.ts";
import type { Problems } from "../refusal.ts";
import type { UpstreamOptions } from "../types.ts";
import { pairProblems } from "./pair-rules.ts";

const FIELDS = words(
  "model messages tools tool_choice parallel_tool_calls stream n user",
  "stream_options max_tokens max_completion_tokens temperature top_p stop",
  "frequency_penalty presence_penalty logit_bias logprobs top_logprobs seed",
  "response_format metadata modalities audio prediction reasoning_effort",
  "safety_identifier prompt_cache_key prompt_cache_options prompt_cache_retention",
  "service_tier store verbosity web_search_options functions function_call",
  "moderation",
);
const ROLES = ["system", "assistant", "user", "function", "tool", "developer"];
/** Fields of a message by role; what servers that imitate the API add is refused here too. */
const MESSAGE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content", "name"],
  developer: ["role", "content", "name"],
  user: ["role", "content", "name"],
  assistant: [
    "role",
    "content",
    "name",
    "refusal",
    "audio",
    "tool_calls",
    "function_call",
    "annotations",
  ],
  tool: ["role", "content", "tool_call_id", "name"],
  function: ["role", "content", "name"],
};
/** Servers that imitate the API take the reasoning back in the assistant message. */
const REASONING_FIELDS = ["reasoning_content", "reasoning"];
const PARTS: Readonly<Record<string, readonly string[]>> = {
  system: ["text"],
  developer: ["text"],
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
  tool: ["text"],
};
const MAX_CALL_ID = 40;

export type ChatServer = NonNullable<UpstreamOptions["server"]>;

/** All rules of Chat Completions, as this server has them. */
export function* requestProblems(body: JsonObject, server: ChatServer): Problems {
  yield* fieldProblems(body);
  const messages = body["messages"] as readonly unknown[];
  for (const [index, tool] of objects(body["tools"]).entries()) yield* toolProblems(tool, index);
  if (Array.isArray(body["tools"]) && body["tools"].length === 0) yield emptyArray("tools");
  for (const [index, message] of messages.entries()) {
    yield* messageProblems(message, `messages[${index}]`, server !== "openai");
  }
  if (server === "deepseek") yield* reasoningProblems(objects(messages));
  yield* pairProblems(objects(messages));
}

function* fieldProblems(body: JsonObject): Problems {
  if (typeof body["model"] !== "string" || body["model"] === "") {
    yield { message: "you must provide a model parameter" };
  }
  if (body["messages"] === undefined) yield missing("messages");
  if (!Array.isArray(body["messages"]))
    yield wrongType("messages", "an array of objects", body["messages"]);
  else if (body["messages"].length === 0) yield emptyArray("messages");
  for (const field of Object.keys(body)) {
    if (!FIELDS.has(field)) {
      yield { message: `Unrecognized request argument supplied: ${field}` };
    }
  }
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
  const hasTools = Array.isArray(body["tools"]) && body["tools"].length > 0;
  if (body["tool_choice"] != null && !hasTools) {
    yield {
      message:
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
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
  const at = `tools[${index}]`;
  if (tool["type"] !== "function" && tool["type"] !== "custom") {
    yield invalidValue(`${at}.type`, String(tool["type"]), ["function", "custom"]);
  }
  const described = tool[String(tool["type"])];
  if (!isObject(described)) yield missing(`${at}.${String(tool["type"])}`);
  else yield* nameProblems(described["name"], `${at}.${String(tool["type"])}.name`);
}

function* messageProblems(message: unknown, at: string, isCompatible: boolean): Problems {
  if (!isObject(message)) {
    yield wrongType(at, "an object", message);
    return;
  }
  const role = text(message["role"]);
  if (message["role"] === undefined) yield missing(`${at}.role`);
  if (!ROLES.includes(role)) yield invalidValue(`${at}.role`, role, ROLES);
  const extra = isCompatible && role === "assistant" ? REASONING_FIELDS : [];
  for (const field of Object.keys(message)) {
    if (![...MESSAGE_FIELDS[role]!, ...extra].includes(field)) {
      yield {
        message: `Unknown parameter: '${at}.${field}'.`,
        param: `${at}.${field}`,
        code: "unknown_parameter",
      };
    }
  }
  yield* contentProblems(message, at);
  if (role === "assistant") yield* callProblems(message["tool_calls"], `${at}.tool_calls`);
  if (role === "tool" && typeof message["tool_call_id"] !== "string") {
    yield missing(`${at}.tool_call_id`);
  }
}

function* contentProblems(message: JsonObject, at: string): Problems {
  const { role, content } = message;
  const isTold = ["tool_calls", "function_call", "refusal", "audio"].some(
    (field) => message[field] != null,
  );
  if (content == null) {
    if (role === "assistant" && isTold) return;
    yield {
      message: `Invalid value for 'content': expected a string, got ${content === null ? "null" : "undefined"}.`,
      param: `${at}.content`,
    };
    return;
  }
  if (typeof content === "string") return;
  if (!Array.isArray(content)) {
    yield wrongType(`${at}.content`, "one of a string or array of objects", content);
    return;
  }
  if (content.length === 0) yield emptyArray(`${at}.content`);
  for (const [index, part] of (content as readonly unknown[]).entries()) {
    const type = isObject(part) ? text(part["type"]) : "";
    const place = `${at}.content[${index}]`;
    const known = PARTS[String(role)] ?? [];
    if (!known.includes(type)) yield invalidValue(`${place}.type`, type, known);
    if (type === "text" && isObject(part) && typeof part["text"] !== "string") {
      yield wrongType(`${place}.text`, "a string", part["text"]);
    }
  }
}

function* callProblems(calls: unknown, at: string): Problems {
  if (calls == null) return;
  if (!Array.isArray(calls)) yield wrongType(at, "an array of objects", calls);
  else if (calls.length === 0) yield emptyArray(at);
  for (const [index, call] of objects(calls).entries()) {
    const place = `${at}[${index}]`;
    const { id } = call;
    if (typeof id !== "string") yield missing(`${place}.id`);
    if (text(id).length > MAX_CALL_ID) yield tooLong(`${place}.id`, MAX_CALL_ID, text(id).length);
    const kind = text(call["type"]);
    if (kind !== "function" && kind !== "custom") {
      yield invalidValue(`${place}.type`, kind, ["function", "custom"]);
    }
    const called = call[kind];
    if (!isObject(called)) {
      yield missing(`${place}.${kind}`);
      continue;
    }
    yield* nameProblems(called["name"], `${place}.${kind}.name`);
    const field = kind === "function" ? "arguments" : "input";
    if (called[field] === undefined) yield missing(`${place}.${kind}.${field}`);
    if (typeof called[field] !== "string") {
      yield wrongType(`${place}.${kind}.${field}`, "a string", called[field]);
    }
  }
}

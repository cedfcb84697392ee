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

const FIELDS = words(
  "model input instructions tools tool_choice parallel_tool_calls stream stream_options store include",
  "previous_response_id conversation max_output_tokens max_tool_calls metadata reasoning text",
  "temperature top_p top_logprobs truncation user background context_management moderation prompt",
  "prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier service_tier",
);
/** The fields of the items that we know. */
const ITEM_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  message: words("type role content id status phase"),
  reasoning: words("type id summary content encrypted_content status"),
  function_call: words("type id call_id name arguments status namespace caller"),
  function_call_output: words("type id call_id output status caller"),
  custom_tool_call: words("type id call_id name input status namespace caller"),
  custom_tool_call_output: words("type id call_id output status caller"),
  item_reference: words("type id"),
};
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  message: ["role", "content"],
  reasoning: ["id", "summary"],
  function_call: ["call_id", "name", "arguments"],
  function_call_output: ["call_id", "output"],
  custom_tool_call: ["call_id", "name", "input"],
  custom_tool_call_output: ["call_id", "output"],
  item_reference: ["id"],
};
/** How the id of an item must begin. */
const ID_PREFIX: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
};
/** Let through as they are. */
const OTHER_ITEMS = words(
  "file_search_call computer_call computer_call_output web_search_call tool_search_call",
  "tool_search_output additional_tools compaction image_generation_call code_interpreter_call",
  "local_shell_call local_shell_call_output shell_call shell_call_output apply_patch_call",
  "apply_patch_call_output mcp_list_tools mcp_approval_request mcp_approval_response mcp_call",
  "compaction_trigger program program_output configuration_update",
);
const INPUT_PARTS = ["input_text", "input_image", "input_file"];
const OUTPUT_PARTS = ["output_text", "refusal"];
const MAX_ID = 64;
const MIN_OUTPUT = 16;

/** The rules that need nothing but the request; pairs are checked in the whole conversation. */
export function* requestProblems(body: JsonObject): Problems {
  for (const field of Object.keys(body)) {
    if (!FIELDS.has(field)) {
      yield {
        message: `Unknown parameter: '${field}'.`,
        param: field,
        code: "unknown_parameter",
      };
    }
  }
  if (typeof body["model"] !== "string" || body["model"] === "") yield missing("model");
  yield* inputProblems(body);
  const limit = body["max_output_tokens"];
  if (typeof limit === "number" && limit < MIN_OUTPUT) {
    yield {
      message: `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${MIN_OUTPUT}, but got ${limit} instead.`,
      param: "max_output_tokens",
      code: "integer_below_min_value",
    };
  }
  for (const [index, tool] of objects(body["tools"]).entries()) {
    if (typeof tool["type"] !== "string") yield missing(`tools[${index}].type`);
    const isNamed = tool["type"] === "function" || tool["type"] === "custom";
    if (isNamed) yield* nameProblems(tool["name"], `tools[${index}].name`);
  }
}

function* inputProblems(body: JsonObject): Problems {
  const { input } = body;
  const others = [body["previous_response_id"], body["prompt"], body["conversation"]];
  if (input == null && others.every((one) => one == null)) {
    yield {
      message:
        "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.",
      code: "missing_required_parameter",
      param: "input",
    };
  }
  if (typeof body["conversation"] === "string" || isObject(body["conversation"])) {
    yield { message: "Conversation not found.", param: "conversation", status: 404 };
  }
  if (input == null || typeof input === "string") return;
  if (!Array.isArray(input))
    yield wrongType("input", "one of an array of objects or string", input);
  else if (input.length === 0 && others.every((one) => one == null)) yield emptyArray("input");
  for (const [index, item] of (input as readonly unknown[]).entries()) {
    if (!isObject(item)) yield wrongType(`input[${index}]`, "an object", item);
    else yield* itemProblems(item, `input[${index}]`);
  }
}

export function typeOf(item: JsonObject): string {
  return item["type"] === undefined && item["role"] !== undefined ? "message" : text(item["type"]);
}

function* itemProblems(item: JsonObject, at: string): Problems {
  const type = typeOf(item);
  const fields = ITEM_FIELDS[type];
  if (fields === undefined) {
    if (OTHER_ITEMS.has(type)) return;
    yield invalidValue(`${at}.type`, type, [...Object.keys(ITEM_FIELDS), ...OTHER_ITEMS]);
    return;
  }
  for (const field of REQUIRED[type] ?? []) {
    if (item[field] === undefined) yield missing(`${at}.${field}`);
  }
  for (const field of Object.keys(item)) {
    if (fields.has(field)) continue;
    const param = `${at}.${field}`;
    yield { message: `Unknown parameter: '${param}'.`, param, code: "unknown_parameter" };
  }
  yield* idProblems(item, type, at);
  if (type === "message") yield* messageProblems(item, at);
  if (type === "function_call" || type === "custom_tool_call") yield* callProblems(item, at);
  if (type.endsWith("_output")) yield* outputProblems(item["output"], `${at}.output`);
}

function* idProblems(item: JsonObject, type: string, at: string): Problems {
  const { id } = item;
  if (id == null) return;
  if (typeof id !== "string") yield wrongType(`${at}.id`, "a string", id);
  const prefix = ID_PREFIX[type];
  if (prefix !== undefined && !text(id).startsWith(prefix)) {
    yield {
      message: `Invalid '${at}.id': '${text(id)}'. Expected an ID that begins with '${prefix}'.`,
      param: `${at}.id`,
      code: "invalid_value",
    };
  }
  if (text(id).length > MAX_ID) yield tooLong(`${at}.id`, MAX_ID, text(id).length);
}

function* messageProblems({ role, content }: JsonObject, at: string): Problems {
  const roles = ["assistant", "system", "developer", "user"];
  if (!roles.includes(text(role))) yield invalidValue(`${at}.role`, text(role), roles);
  if (typeof content === "string") return;
  if (!Array.isArray(content)) {
    yield wrongType(`${at}.content`, "one of an array of objects or string", content);
    return;
  }
  const known = role === "assistant" ? OUTPUT_PARTS : INPUT_PARTS;
  for (const [index, part] of objects(content).entries()) {
    const place = `${at}.content[${index}]`;
    if (!known.includes(text(part["type"]))) {
      yield invalidValue(`${place}.type`, text(part["type"]), known);
    }
    if (text(part["type"]).endsWith("_text") && typeof part["text"] !== "string") {
      yield wrongType(`${place}.text`, "a string", part["text"]);
    }
  }
}

function* callProblems(item: JsonObject, at: string): Problems {
  const field = item["type"] === "function_call" ? "arguments" : "input";
  if (typeof item[field] !== "string") yield wrongType(`${at}.${field}`, "a string", item[field]);
  yield* nameProblems(item["name"], `${at}.name`);
  const callId = text(item["call_id"]);
  if (callId.length > MAX_ID) yield tooLong(`${at}.call_id`, MAX_ID, callId.length);
}

function* outputProblems(output: unknown, at: string): Problems {
  if (typeof output === "string") return;
  if (!Array.isArray(output)) yield wrongType(at, "one of a string or array of objects", output);
  for (const [index, part] of objects(output).entries()) {
    if (INPUT_PARTS.includes(text(part["type"]))) continue;
    yield invalidValue(`${at}[${index}].type`, text(part["type"]), INPUT_PARTS);
  }
}

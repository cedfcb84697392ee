import { isObject, type JsonObject, objects, text, words } from "../json.ts";
import { nameProblems, type Problems } from "../refusal.ts";
import { shape, shapeProblems } from "../shape.ts";

const FIELDS = shape(
  "model! input instructions tools tool_choice parallel_tool_calls stream stream_options store include",
  "previous_response_id conversation max_output_tokens max_tool_calls metadata reasoning text",
  "temperature top_p top_logprobs truncation user background context_management moderation prompt",
  "client_metadata prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier service_tier",
);
/** The items that we know. */
const ITEMS = new Map([
  ["message", shape("type role! content! id status phase")],
  ["reasoning", shape("type id! summary! content encrypted_content status")],
  ["function_call", shape("type id call_id! name! arguments! status namespace caller")],
  ["function_call_output", shape("type id call_id! output! status caller")],
  ["custom_tool_call", shape("type id call_id! name! input! status namespace caller")],
  ["custom_tool_call_output", shape("type id call_id! output! status caller")],
  ["item_reference", shape("type id!")],
]);
/** Let through as they are. */
const OTHER_ITEMS = words(
  "file_search_call computer_call computer_call_output web_search_call tool_search_call",
  "tool_search_output additional_tools compaction image_generation_call code_interpreter_call",
  "local_shell_call local_shell_call_output shell_call shell_call_output apply_patch_call",
  "apply_patch_call_output mcp_list_tools mcp_approval_request mcp_approval_response mcp_call",
  "compaction_trigger program program_output configuration_update",
);
const MIN_OUTPUT = 16;

/** The rules that need nothing but the request; the rest is checked in the whole conversation. */
export function* requestProblems(body: JsonObject): Problems {
  yield* shapeProblems(body, FIELDS, "");
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
    if (typeof tool["type"] !== "string") yield { message: `tools[${index}].type: Field required` };
    const isNamed = tool["type"] === "function" || tool["type"] === "custom";
    if (isNamed) yield* nameProblems(tool["name"], `tools[${index}].name`);
  }
}

function* inputProblems({ input, ...body }: JsonObject): Problems {
  const others = [body["previous_response_id"], body["prompt"], body["conversation"]];
  if (input == null && others.every((one) => one == null)) {
    yield {
      message: 'One of "input" or "previous_response_id" or "prompt" must be provided.',
      param: "input",
    };
  }
  if (typeof body["conversation"] === "string" || isObject(body["conversation"])) {
    yield { message: "Conversation not found.", param: "conversation", status: 404 };
  }
  if (input == null || typeof input === "string") return;
  if (!Array.isArray(input)) yield { message: "input: neither a text nor a list", param: "input" };
  for (const [index, item] of objects(input).entries()) {
    const type = typeOf(item);
    const known = ITEMS.get(type);
    if (known !== undefined) yield* shapeProblems(item, known, `input[${index}]`);
    else if (!OTHER_ITEMS.has(type)) yield { message: `input[${index}]: no item is a '${type}'` };
  }
}

export function typeOf(item: JsonObject): string {
  return item["type"] === undefined && item["role"] !== undefined ? "message" : text(item["type"]);
}

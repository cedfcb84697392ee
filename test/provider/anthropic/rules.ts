import type { IncomingHttpHeaders } from "node:http";
import { anthropic } from "../../../src/dialects/index.ts";
import { isObject, type JsonObject, objects } from "../json.ts";
import { issueProblems, type Problem, type Problems } from "../refusal.ts";
import { shape, shapeProblems } from "../shape.ts";
import { blocksOf, type Turn, turnsOf } from "./turns.ts";

const FIELDS = [
  "model! messages! max_tokens! system tools tool_choice stream metadata",
  "temperature top_p top_k stop_sequences thinking service_tier",
  "cache_control container diagnostics inference_geo output_config speed",
  "user_profile_id workspace_id",
];
/** Known only to requests that name a beta. */
const BETA_FIELDS = [
  "context_management mcp_servers output_format compaction thread",
  "billing_policy fallback_credit_token fallbacks",
];
const MESSAGE = shape("role! content");
const SYSTEM_MESSAGE = shape("role! content output_config");
/** The blocks that we know; others are let through as they are. */
const BLOCKS = new Map([
  ["text", shape("type text! cache_control citations")],
  ["thinking", shape("type thinking! signature!")],
  ["redacted_thinking", shape("type data!")],
  ["tool_use", shape("type id! name! input! cache_control caller toolset_name")],
  ["tool_result", shape("type tool_use_id! content is_error cache_control toolset_name")],
  ["image", shape("type source! cache_control transformations")],
]);
const OTHER_BLOCK =
  /^(?:document|search_result|container_upload|compaction|fallback|(?:server|mcp)_tool_use|\w+_tool_result|mcp_tool_listing|tool_(?:addition|removal|reference)|browser_state)$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MAX_BREAKPOINTS = 4;
const MIN_BUDGET = 1_024;

/** All rules of the Messages API that need nothing but the request. */
export function* requestProblems(body: JsonObject, headers: IncomingHttpHeaders): Problems {
  yield* fieldProblems(body, headers);
  yield* toolProblems(body["tools"]);
  for (const [index, message] of objects(body["messages"]).entries()) {
    yield* messageProblems(message, `messages.${index}`);
  }
  yield* issueProblems(anthropic.check(body as never, { asRequest: true }));
  const turns = turnsOf(objects(body["messages"]));
  yield* toollessProblems(body, turns);
  yield* thinkingProblems(body, turns);
  yield* breakpointProblems(body);
}

function* fieldProblems(body: JsonObject, headers: IncomingHttpHeaders): Problems {
  if (headers["anthropic-version"] === undefined) {
    yield { message: "anthropic-version: header is required" };
  }
  const beta = headers["anthropic-beta"] === undefined ? [] : BETA_FIELDS;
  yield* shapeProblems(body, shape(...FIELDS, ...beta), "");
  const limit = body["max_tokens"];
  if (!(Number.isInteger(limit) && Number(limit) >= 1)) {
    yield { message: "max_tokens: Input should be a valid integer greater than or equal to 1" };
  }
  if (typeof body["model"] !== "string") yield { message: "model: Input should be a valid string" };
  if (!Array.isArray(body["messages"])) yield { message: "messages: Input should be a valid list" };
  if (body["system"] !== undefined && typeof body["system"] !== "string") {
    if (!Array.isArray(body["system"])) yield { message: "system: Input should be a valid list" };
  }
  if (isObject(body["thread"])) yield THREADS_UNSUPPORTED;
}

/** The answer that makes the SDK's tool runner send the whole history instead. */
const THREADS_UNSUPPORTED: Problem = {
  message: "thread: this request cannot be part of a thread",
  details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
  unsupported: true,
};

function* toolProblems(tools: unknown): Problems {
  if (tools !== undefined && !Array.isArray(tools)) {
    yield { message: "tools: Input should be a valid list" };
  }
  const names = new Set<unknown>();
  for (const [index, tool] of objects(tools).entries()) {
    if (names.has(tool["name"])) yield { message: "tools: Tool names must be unique." };
    names.add(tool["name"]);
    const isCustom = tool["type"] === undefined || tool["type"] === "custom";
    if (!isCustom) continue;
    if (!TOOL_NAME.test(String(tool["name"]))) {
      yield { message: `tools.${index}.name: String should match pattern '${TOOL_NAME.source}'` };
    }
    if (!isObject(tool["input_schema"]) || tool["input_schema"]["type"] !== "object") {
      yield { message: `tools.${index}.input_schema.type: Input should be 'object'` };
    }
  }
}

function* messageProblems(message: JsonObject, at: string): Problems {
  yield* shapeProblems(message, message["role"] === "system" ? SYSTEM_MESSAGE : MESSAGE, at);
  for (const [index, block] of blocksOf(message["content"]).entries()) {
    const type = String(block["type"]);
    const place = `${at}.content.${index}`;
    const known = BLOCKS.get(type);
    if (known !== undefined) yield* shapeProblems(block, known, `${place}.${type}`);
    else if (!OTHER_BLOCK.test(type)) {
      yield { message: `${place}: Input tag '${type}' does not match any of the expected tags` };
    }
  }
}

function* toollessProblems({ tools }: JsonObject, turns: readonly Turn[]): Problems {
  const isUsed = turns.some(({ blocks }) =>
    blocks.some(({ block }) => block["type"] === "tool_use" || block["type"] === "tool_result"),
  );
  if (isUsed && objects(tools).length === 0) {
    yield {
      message: "Requests which include `tool_use` or `tool_result` blocks must define tools.",
    };
  }
}

function* thinkingProblems(body: JsonObject, turns: readonly Turn[]): Problems {
  const thinking = body["thinking"];
  if (!isObject(thinking) || thinking["type"] !== "enabled") return;
  const budget = Number(thinking["budget_tokens"]);
  if (!(budget >= MIN_BUDGET)) {
    yield {
      message: `thinking.enabled.budget_tokens: Input should be greater than or equal to ${MIN_BUDGET}`,
    };
  }
  if (body["max_tokens"] !== undefined && budget >= Number(body["max_tokens"])) {
    yield { message: "`max_tokens` must be greater than `thinking.budget_tokens`." };
  }
  const results = turns.at(-1)?.blocks.some(({ block }) => block["type"] === "tool_result");
  const first = turns.at(-2)?.blocks[0];
  const found = String(first?.block["type"]);
  if (results !== true || /^(?:redacted_)?thinking$/.test(found)) return;
  yield {
    message: `${first?.at}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  };
}

/** Breakpoints of the whole request, tools included, in the order in which it is cached. */
function* breakpointProblems(body: JsonObject): Problems {
  const places: readonly (readonly [string, unknown])[] = [
    ["tools", body["tools"]],
    ["system", body["system"]],
    ...objects(body["messages"]).map(
      ({ content }, at) => [`messages.${at}.content`, content] as const,
    ),
  ];
  const marked = [
    ...places.flatMap(([place, blocks]) => marksIn(place, blocks)),
    // A mark on the request itself is one on its last block.
    ...(isObject(body["cache_control"]) ? [{ at: "", mark: body["cache_control"] }] : []),
  ];
  if (marked.length > MAX_BREAKPOINTS) {
    yield {
      message: `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${marked.length}.`,
    };
  }
  const isLong = ({ mark }: { readonly mark: JsonObject }): boolean => mark["ttl"] === "1h";
  const firstShort = marked.findIndex((one) => !isLong(one));
  const late = firstShort < 0 ? undefined : marked.slice(firstShort).find(isLong);
  if (late === undefined) return;
  yield {
    message: `${late.at}cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
  };
}

function marksIn(
  place: string,
  blocks: unknown,
): readonly { readonly at: string; readonly mark: JsonObject }[] {
  return blocksOf(blocks).flatMap(({ type, content, cache_control: mark }, at) => [
    ...(type === "tool_result" ? marksIn(`${place}.${at}.content`, content) : []),
    ...(isObject(mark) ? [{ at: `${place}.${at}.`, mark }] : []),
  ]);
}

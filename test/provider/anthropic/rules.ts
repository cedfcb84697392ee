import type { IncomingHttpHeaders } from "node:http";
import { isObject, type JsonObject, objects, words } from "../json.ts";
import type { Problem, Problems } from "../refusal.ts";
import type { UpstreamOptions } from "../types.ts";
import { blockProblems } from "./block-rules.ts";
import { pairProblems } from "./pair-rules.ts";
import { blocksOf, type Turn, turnsOf } from "./turns.ts";

const FIELDS = words(
  "model messages max_tokens system tools tool_choice stream metadata",
  "temperature top_p top_k stop_sequences thinking service_tier",
  "cache_control container diagnostics inference_geo output_config speed",
  "user_profile_id workspace_id",
);
/** Known only to requests that name a beta. */
const BETA_FIELDS = words(
  "context_management mcp_servers output_format compaction thread",
  "billing_policy fallback_credit_token fallbacks",
);
const COUNT_ONLY_UNKNOWN = words("max_tokens stream temperature top_p top_k metadata");
/** From this version on the API has no sampling parameters. */
const VERSION_WITHOUT_SAMPLING = "2026-10-21";
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MAX_BREAKPOINTS = 4;
const MIN_BUDGET = 1_024;

export interface RuleContext {
  readonly headers: IncomingHttpHeaders;
  readonly options: UpstreamOptions;
  /** The request only asks for a count. */
  readonly countOnly: boolean;
}

/** All rules of the Messages API that need nothing but the request. */
export function* requestProblems(body: JsonObject, context: RuleContext): Problems {
  yield* fieldProblems(body, context);
  const messages = body["messages"] as readonly unknown[];
  yield* toolProblems(body["tools"]);
  yield* systemProblems(body["system"]);
  for (const [index, message] of messages.entries()) yield* messageProblems(message, index);
  const turns = turnsOf(messages);
  yield* orderProblems(turns);
  yield* pairProblems(turns);
  yield* toollessProblems(body, turns);
  yield* endProblems(turns, context.options);
  yield* thinkingProblems(body, turns);
  yield* breakpointProblems(body);
}

function* fieldProblems(body: JsonObject, { headers, countOnly }: RuleContext): Problems {
  if (headers["anthropic-version"] === undefined) {
    yield { message: "anthropic-version: header is required" };
  }
  for (const field of ["model", ...(countOnly ? [] : ["max_tokens"]), "messages"]) {
    if (body[field] === undefined) yield { message: `${field}: Field required` };
  }
  if (typeof body["model"] !== "string") yield { message: "model: Input should be a valid string" };
  const limit = body["max_tokens"];
  if (!countOnly && !Number.isInteger(limit)) {
    yield { message: "max_tokens: Input should be a valid integer" };
  }
  if (!countOnly && Number(limit) < 1) {
    yield { message: "max_tokens: Input should be greater than or equal to 1" };
  }
  if (!Array.isArray(body["messages"])) yield { message: "messages: Input should be a valid list" };
  else if (body["messages"].length === 0) {
    yield { message: "messages: at least one message is required" };
  }
  const isBeta = headers["anthropic-beta"] !== undefined;
  const isNew = String(headers["anthropic-version"]) >= VERSION_WITHOUT_SAMPLING;
  for (const field of Object.keys(body)) {
    const isKnown =
      (FIELDS.has(field) || (isBeta && BETA_FIELDS.has(field))) &&
      !(countOnly && COUNT_ONLY_UNKNOWN.has(field)) &&
      !(isNew && ["temperature", "top_p", "top_k"].includes(field));
    if (!isKnown) yield { message: `${field}: Extra inputs are not permitted` };
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
  if (tools === undefined) return;
  if (!Array.isArray(tools)) yield { message: "tools: Input should be a valid list" };
  const names = new Set<unknown>();
  for (const [index, tool] of objects(tools).entries()) {
    const at = `tools.${index}`;
    if (names.has(tool["name"])) yield { message: "tools: Tool names must be unique." };
    names.add(tool["name"]);
    const isCustom = tool["type"] === undefined || tool["type"] === "custom";
    if (!isCustom) continue;
    if (!TOOL_NAME.test(String(tool["name"]))) {
      yield { message: `${at}.custom.name: String should match pattern '${TOOL_NAME.source}'` };
    }
    const schema = tool["input_schema"];
    if (!isObject(schema)) yield { message: `${at}.custom.input_schema: Field required` };
    else if (schema["type"] !== "object") {
      yield { message: `${at}.custom.input_schema.type: Input should be 'object'` };
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

function* systemProblems(system: unknown): Problems {
  if (system === undefined || typeof system === "string") return;
  if (!Array.isArray(system)) yield { message: "system: Input should be a valid list" };
  for (const [index, block] of objects(system).entries()) {
    yield* blockProblems({ block, at: `system.${index}` }, "system");
  }
}

function* messageProblems(message: unknown, index: number): Problems {
  const at = `messages.${index}`;
  if (!isObject(message)) {
    yield { message: `${at}: Input should be a valid dictionary or object to extract fields from` };
    return;
  }
  const { role, content } = message;
  if (role === undefined) yield { message: `${at}.role: Field required` };
  if (!["user", "assistant", "system"].includes(String(role))) {
    yield { message: `${at}.role: Input should be 'user' or 'assistant'` };
  }
  const isSetting = role === "system" && isObject(message["output_config"]);
  for (const field of Object.keys(message)) {
    const isKnown = ["role", "content", ...(role === "system" ? ["output_config"] : [])];
    if (!isKnown.includes(field))
      yield { message: `${at}.${field}: Extra inputs are not permitted` };
  }
  if (content === undefined && !isSetting) yield { message: `${at}.content: Field required` };
  if (content !== undefined && typeof content !== "string" && !Array.isArray(content)) {
    yield { message: `${at}.content: Input should be a valid list` };
  }
  const blocks = blocksOf(content);
  if (!isSetting && (blocks.length === 0 || content === "")) {
    yield {
      message: `${at}: all messages must have non-empty content except for the optional final assistant message`,
    };
  }
  for (const [place, block] of blocks.entries()) {
    yield* blockProblems({ block, at: `${at}.content.${place}` }, String(role));
  }
}

function* orderProblems(turns: readonly Turn[]): Problems {
  if (turns[0]?.role !== "user") {
    yield { message: 'messages: first message must use the "user" role' };
  }
  for (const [index, { role, at }] of turns.entries()) {
    if (role !== "system") continue;
    const next = turns[index + 1]?.role ?? "assistant";
    if (turns[index - 1]?.role !== "user" || next !== "assistant") {
      yield {
        message: `${at}: a system message must follow a user turn and stand before an assistant turn or at the end`,
      };
    }
  }
}

function* endProblems(turns: readonly Turn[], options: UpstreamOptions): Problems {
  const last = turns.at(-1);
  const final = last?.blocks.at(-1)?.block;
  if (last?.role !== "assistant" || final === undefined) return;
  if (/^(?:server|mcp)_tool_use$|_tool_result$/.test(String(final["type"]))) return;
  if (final["type"] === "text" && /\s$/.test(String(final["text"]))) {
    yield { message: "messages: final assistant content cannot end with trailing whitespace" };
  }
  if (options.prefill !== true) {
    yield {
      message:
        "This model does not support assistant message prefill. The conversation must end with a user message.",
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

/** All blocks and tools that may hold a breakpoint. */
function breakpointProblems(body: JsonObject): Problem[] {
  const blocks = [
    ...objects(body["tools"]),
    ...blocksOf(body["system"]),
    ...objects(body["messages"]).flatMap(({ content }) => blocksOf(content)),
  ];
  const nested = blocks.flatMap(({ type, content }) =>
    type === "tool_result" ? blocksOf(content) : [],
  );
  const marked = [body, ...blocks, ...nested].filter((one) => isObject(one["cache_control"]));
  if (marked.length <= MAX_BREAKPOINTS) return [];
  const message = `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${marked.length}.`;
  return [{ message }];
}

import type { Segment } from "../cache.ts";
import { canonical, type JsonObject, objects, parsed, text } from "../json.ts";
import { type Counter, FRAME_TOKENS, MESSAGE_TOKENS } from "../tokens.ts";
import type { RequestView, ViewMessage } from "../types.ts";
import { typeOf } from "./rules.ts";
import { unseal } from "./seal.ts";

const DATA_URL = /^data:([^;,]+)[^,]*,(.*)$/s;

export function viewOf(
  body: JsonObject,
  items: readonly JsonObject[],
  secret: string,
): RequestView {
  const messages = joinSteps(items, secret);
  const system = items.filter(isSystem).map(({ content }) => textOf(content));
  const instructions = text(body["instructions"]);
  const maxOutput = body["max_output_tokens"];
  return {
    protocol: "openai-responses",
    model: text(body["model"]),
    system: [...(instructions === "" ? [] : [instructions]), ...system].join("\n\n"),
    messages,
    tools: objects(body["tools"]).map(({ name, type, description, parameters }) => ({
      name: text(name) || text(type),
      description: text(description),
      schema: parameters,
    })),
    lastUserText: messages.findLast(({ role }) => role === "user")?.text ?? "",
    maxOutput: typeof maxOutput === "number" ? maxOutput : undefined,
    stream: body["stream"] === true,
  };
}

function isSystem(item: JsonObject): boolean {
  return item["role"] === "system" || item["role"] === "developer";
}

/** Neighbouring items of the model are one message, and so are neighbouring results. */
function joinSteps(items: readonly JsonObject[], secret: string): ViewMessage[] {
  const joined: ViewMessage[] = [];
  const names = new Map<string, string>();
  for (const item of items) {
    const message = viewItem(item, names, secret);
    const last = joined.at(-1);
    if (message === undefined) continue;
    if (message.role === "user" || last?.role !== message.role) joined.push(message);
    else joined[joined.length - 1] = joinTwo(last, message);
  }
  return joined;
}

function joinTwo(a: ViewMessage, b: ViewMessage): ViewMessage {
  const lines = (one: string, other: string): string =>
    [one, other].filter((line) => line !== "").join("\n");
  return {
    role: a.role,
    text: lines(a.text, b.text),
    reasoning: lines(a.reasoning, b.reasoning),
    calls: [...a.calls, ...b.calls],
    results: [...a.results, ...b.results],
  };
}

function viewItem(
  item: JsonObject,
  names: Map<string, string>,
  secret: string,
): ViewMessage | undefined {
  const none = { text: "", reasoning: "", calls: [], results: [] };
  const type = typeOf(item);
  const id = text(item["call_id"]);
  switch (type) {
    case "message": {
      if (isSystem(item)) return undefined;
      const role = item["role"] === "assistant" ? "assistant" : "user";
      return { ...none, role, text: textOf(item["content"]) };
    }
    case "reasoning":
      return { ...none, role: "assistant", reasoning: reasoningOf(item, secret) };
    case "function_call":
    case "custom_tool_call": {
      const name = text(item["name"]);
      names.set(id, name);
      const json = item["arguments"];
      const input = json === undefined ? item["input"] : parsed(text(json));
      return { ...none, role: "assistant", calls: [{ id, name, input }] };
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const output = textOf(item["output"]);
      const result = { id, name: names.get(id) ?? "", output, isError: false };
      return { ...none, role: "tool", results: [result] };
    }
    default:
      return undefined;
  }
}

/** The whole reasoning where it is sealed, else its summary. */
function reasoningOf(item: JsonObject, secret: string): string {
  const sealed = unseal(text(item["encrypted_content"]), secret);
  return sealed ?? textOf(item["summary"]);
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objects(content)
    .flatMap(({ text: own }) => (typeof own === "string" ? [own] : []))
    .join("\n");
}

/** The prompt in the order in which it is cached. */
export function segmentsOf(
  body: JsonObject,
  items: readonly JsonObject[],
  { counter, secret }: { readonly counter: Counter; readonly secret: string },
): Segment[] {
  const instructions = text(body["instructions"]);
  const tools = objects(body["tools"]).map((tool) => ({
    key: `tool ${canonical(tool)}`,
    tokens: FRAME_TOKENS + counter.text(canonical(tool)),
  }));
  const first =
    instructions === ""
      ? []
      : [{ key: `system ${instructions}`, tokens: MESSAGE_TOKENS + counter.text(instructions) }];
  const rest = items.map((item) => ({
    key: keyOf(item),
    tokens: itemTokens(item, counter, secret),
  }));
  return [...tools, ...first, ...rest];
}

/** Ids and states make no difference to what the model sees. */
function keyOf(item: JsonObject): string {
  const { id: _id, status: _status, ...rest } = item;
  return canonical({ ...rest, type: typeOf(item) });
}

function itemTokens(item: JsonObject, counter: Counter, secret: string): number {
  switch (typeOf(item)) {
    case "message":
      return MESSAGE_TOKENS + contentTokens(item["content"], counter);
    case "reasoning":
      return counter.text(reasoningOf(item, secret));
    case "function_call":
    case "custom_tool_call": {
      const input = text(item["arguments"] ?? item["input"]);
      return FRAME_TOKENS + counter.text(text(item["name"])) + counter.text(input);
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return FRAME_TOKENS + contentTokens(item["output"], counter);
    default:
      return counter.text(canonical(item));
  }
}

function contentTokens(content: unknown, counter: Counter): number {
  if (typeof content === "string") return counter.text(content);
  return objects(content).reduce((sum, part) => {
    const url = text(part["image_url"]) || text(part["file_data"]);
    const [, mediaType, data] = DATA_URL.exec(url) ?? [];
    if (part["type"] === "input_image") return sum + counter.file(mediaType ?? "image/png", data);
    if (part["type"] === "input_file") {
      return sum + counter.file(mediaType ?? "application/pdf", data);
    }
    return sum + counter.text(text(part["text"]) || text(part["refusal"]));
  }, 0);
}

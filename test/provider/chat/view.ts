import type { Segment } from "../cache.ts";
import { canonical, isObject, type JsonObject, objects, parsed, text } from "../json.ts";
import { type Counter, FRAME_TOKENS, MESSAGE_TOKENS } from "../tokens.ts";
import type { RequestView, ViewCall, ViewMessage } from "../types.ts";

export function viewOf(body: JsonObject): RequestView {
  const all = objects(body["messages"]);
  const names = new Map<string, string>();
  const messages = joinResults(
    all.filter((one) => !isSystem(one)).map((one) => viewMessage(one, names)),
  );
  const maxOutput = body["max_completion_tokens"] ?? body["max_tokens"];
  return {
    protocol: "openai-chat",
    model: text(body["model"]),
    system: all
      .filter(isSystem)
      .map(({ content }) => textOf(content))
      .join("\n\n"),
    messages,
    tools: objects(body["tools"]).map((tool) => {
      const described = tool["function"] ?? tool["custom"];
      const { name, description, parameters } = isObject(described) ? described : {};
      return { name: text(name), description: text(description), schema: parameters };
    }),
    lastUserText: messages.findLast(({ role }) => role === "user")?.text ?? "",
    maxOutput: typeof maxOutput === "number" ? maxOutput : undefined,
    stream: body["stream"] === true,
  };
}

function isSystem({ role }: JsonObject): boolean {
  return role === "system" || role === "developer";
}

function viewMessage(message: JsonObject, names: Map<string, string>): ViewMessage {
  const content = textOf(message["content"]);
  const none = { text: "", reasoning: "", calls: [], results: [] };
  if (message["role"] === "tool") {
    const id = text(message["tool_call_id"]);
    const result = { id, name: names.get(id) ?? "", output: content, isError: false };
    return { ...none, role: "tool", results: [result] };
  }
  const calls = objects(message["tool_calls"]).map((call): ViewCall => {
    const called = call["function"] ?? call["custom"];
    const { name, arguments: json, input } = isObject(called) ? called : {};
    names.set(text(call["id"]), text(name));
    const value = json === undefined ? text(input) : parsed(text(json));
    return { id: text(call["id"]), name: text(name), input: value };
  });
  const reasoning = text(message["reasoning_content"]) || text(message["reasoning"]);
  const role = message["role"] === "assistant" ? "assistant" : "user";
  return { role, text: content, reasoning, calls, results: [] };
}

/** Results of one step stand in one message. */
function joinResults(messages: readonly ViewMessage[]): ViewMessage[] {
  const joined: ViewMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === "tool" && last?.role === "tool")
      joined[joined.length - 1] = { ...last, results: [...last.results, ...message.results] };
    else joined.push(message);
  }
  return joined;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objects(content)
    .flatMap(({ text: own }) => (typeof own === "string" ? [own] : []))
    .join("\n");
}

/** The prompt in the order in which it is cached. */
export function segmentsOf(body: JsonObject, counter: Counter): Segment[] {
  const tools = objects(body["tools"]).map((tool) => ({
    key: `tool ${canonical(tool)}`,
    tokens: FRAME_TOKENS + counter.text(canonical(tool["function"] ?? tool["custom"])),
  }));
  const messages = objects(body["messages"]).map((message) => ({
    key: `${text(message["role"])} ${canonical(message)}`,
    tokens: messageTokens(message, counter),
  }));
  return [...tools, ...messages];
}

function messageTokens(message: JsonObject, counter: Counter): number {
  const calls = objects(message["tool_calls"]).map((call) => {
    const called = call["function"] ?? call["custom"];
    const { name, arguments: json, input } = isObject(called) ? called : {};
    return FRAME_TOKENS + counter.text(text(name)) + counter.text(text(json ?? input));
  });
  const reasoning = text(message["reasoning_content"]) || text(message["reasoning"]);
  const framing = MESSAGE_TOKENS + (message["role"] === "tool" ? FRAME_TOKENS : 0);
  const content = contentTokens(message["content"], counter);
  return calls.reduce((a, b) => a + b, framing + content + counter.text(reasoning));
}

function contentTokens(content: unknown, counter: Counter): number {
  if (typeof content === "string") return counter.text(content);
  return objects(content).reduce((sum, part) => sum + partTokens(part, counter), 0);
}

const DATA_URL = /^data:([^;,]+)[^,]*,(.*)$/s;

function partTokens(part: JsonObject, counter: Counter): number {
  const image = part["image_url"];
  if (isObject(image)) {
    const [, mediaType = "image/png", data] = DATA_URL.exec(text(image["url"])) ?? [];
    return counter.file(mediaType, data);
  }
  if (isObject(part["file"])) {
    const [, mediaType = "application/pdf", data] =
      DATA_URL.exec(text(part["file"]["file_data"])) ?? [];
    return counter.file(mediaType, data);
  }
  return counter.text(text(part["text"]) || text(part["refusal"]));
}

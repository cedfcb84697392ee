import type { Segment } from "../cache.ts";
import { canonical, isObject, type JsonObject, objects, text } from "../json.ts";
import { type Counter, FRAME_TOKENS, MESSAGE_TOKENS } from "../tokens.ts";
import type { RequestView, ViewMessage } from "../types.ts";
import { blocksOf, turnsOf, withoutBreakpoints } from "./turns.ts";

export function viewOf(body: JsonObject): RequestView {
  const names = new Map<string, string>();
  const messages = turnsOf(objects(body["messages"])).flatMap(({ role, blocks }) =>
    role === "system"
      ? []
      : viewTurn(
          role,
          blocks.map(({ block }) => block),
          names,
        ),
  );
  const settings = turnsOf(objects(body["messages"])).filter(({ role }) => role === "system");
  const system = [
    ...blocksOf(body["system"]),
    ...settings.flatMap(({ blocks }) => blocks.map(({ block }) => block)),
  ];
  return {
    protocol: "anthropic",
    model: text(body["model"]),
    system: system.map((block) => text(block["text"])).join("\n\n"),
    messages,
    tools: objects(body["tools"]).map((tool) => ({
      name: text(tool["name"]),
      description: text(tool["description"]),
      schema: tool["input_schema"],
    })),
    lastUserText: messages.findLast(({ role }) => role === "user")?.text ?? "",
    maxOutput: typeof body["max_tokens"] === "number" ? body["max_tokens"] : undefined,
    stream: body["stream"] === true,
  };
}

/** One turn as one or two messages: results stand in a message of their own. */
function viewTurn(
  role: string,
  blocks: readonly JsonObject[],
  names: Map<string, string>,
): ViewMessage[] {
  const of = (type: string): JsonObject[] => blocks.filter((block) => block["type"] === type);
  const calls = of("tool_use").map(({ id, name, input }) => {
    names.set(text(id), text(name));
    return { id: text(id), name: text(name), input };
  });
  const results = of("tool_result").map((block) => ({
    id: text(block["tool_use_id"]),
    name: names.get(text(block["tool_use_id"])) ?? "",
    output: textOf(blocksOf(block["content"])),
    isError: block["is_error"] === true,
  }));
  const content = textOf(blocks);
  const reasoning = of("thinking")
    .map((block) => text(block["thinking"]))
    .join("\n");
  const found: ViewMessage[] = [];
  if (results.length > 0) found.push({ role: "tool", text: "", reasoning: "", calls: [], results });
  if (results.length === 0 || content !== "") {
    const own = role === "assistant" ? "assistant" : "user";
    found.push({ role: own, text: content, reasoning, calls, results: [] });
  }
  return found;
}

function textOf(blocks: readonly JsonObject[]): string {
  return blocks.flatMap(({ text: own }) => (typeof own === "string" ? [own] : [])).join("\n");
}

/** The prompt in the order in which it is cached; blocks in `dropped` are left out. */
export function segmentsOf(
  body: JsonObject,
  counter: Counter,
  dropped: readonly string[] = [],
): Segment[] {
  const tools = objects(body["tools"]).map((tool) =>
    segment("tool", tool, toolTokens(tool, counter)),
  );
  const system = blocksOf(body["system"]).map((block) =>
    segment("system", block, blockTokens(block, counter)),
  );
  const turns = turnsOf(objects(body["messages"])).flatMap(({ role, blocks }) =>
    blocks
      .filter(({ at }) => !dropped.includes(at))
      .map(({ block }, index) => {
        const framing = index === 0 ? MESSAGE_TOKENS : 0;
        return segment(role, block, framing + blockTokens(block, counter));
      }),
  );
  const all = [...tools, ...system, ...turns];
  if (!isObject(body["cache_control"]) || all.length === 0) return all;
  return [...all.slice(0, -1), { ...all.at(-1)!, marked: true }];
}

function segment(role: string, block: JsonObject, tokens: number): Segment {
  const nested = block["type"] === "tool_result" ? blocksOf(block["content"]) : [];
  const marked = [block, ...nested].some((one) => isObject(one["cache_control"]));
  return { key: `${role} ${canonical(withoutBreakpoints(block))}`, tokens, marked };
}

function toolTokens(tool: JsonObject, counter: Counter): number {
  const { cache_control: _breakpoint, ...rest } = tool;
  return FRAME_TOKENS + counter.text(canonical(rest));
}

function blockTokens(block: JsonObject, counter: Counter): number {
  switch (block["type"]) {
    case "text":
      return counter.text(text(block["text"]));
    case "thinking":
      return counter.text(text(block["thinking"]));
    case "tool_use":
      return (
        FRAME_TOKENS + counter.text(text(block["name"])) + counter.text(canonical(block["input"]))
      );
    case "tool_result":
      return blocksOf(block["content"]).reduce(
        (sum, inner) => sum + blockTokens(inner, counter),
        FRAME_TOKENS,
      );
    case "image":
    case "document":
      return sourceTokens(block, counter);
    default:
      return counter.text(canonical(withoutBreakpoints(block)));
  }
}

function sourceTokens({ source }: JsonObject, counter: Counter): number {
  if (!isObject(source)) return FRAME_TOKENS;
  if (source["type"] === "text") return counter.text(text(source["data"]));
  const data = typeof source["data"] === "string" ? source["data"] : undefined;
  return counter.file(text(source["media_type"]) || "image/png", data);
}

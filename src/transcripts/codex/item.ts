import { bareName } from "../../core/calls/tool-kind.ts";
import { resultText } from "../../core/message/message.ts";
import { isRecord } from "../../core/text/json.ts";
import { z } from "zod";
import type {
  Message,
  OutputPart,
  Part,
  Source,
  ToolCallPart,
  ToolResultPart,
} from "../../core/message/index.ts";
import { contentParts, exitCodeIn, textParts } from "../content.ts";
import { anything, list, text } from "../lenient.ts";

/** What one response item is in the conversation. */
export type Item =
  | { readonly type: "reply"; readonly parts: readonly Part[]; readonly id?: string }
  | { readonly type: "result"; readonly part: ToolResultPart }
  | { readonly type: "input"; readonly message: Message }
  | { readonly type: "nothing" };

/** Items are OpenAI's: what the model made may go back to it untouched, under its dialect. */
const DIALECT = "openai-responses";

/** How the texts begin that the program writes in the person's name. */
const PROGRAM_TEXT =
  /^\s*(?:# AGENTS\.md instructions for |<(?:environment_context|user_instructions|INSTRUCTIONS|turn_aborted|user_shell_command|skill|subagent_notification|permissions instructions)>)/;

const itemShape = z.looseObject({
  type: z.string(),
  id: text,
  role: text,
  call_id: text,
  name: text,
  content: anything,
  arguments: anything,
  input: anything,
  action: anything,
  output: anything,
  summary: list,
  tools: list,
  encrypted_content: text,
});

/** What is read of an item, and the item itself, which may go back to the provider. */
type ItemShape = z.infer<typeof itemShape> & { readonly native: unknown };

const NOTHING: Item = { type: "nothing" };

/**
 * A `response_item` as what it is in the conversation; nothing for items that carry nothing for the
 * model, and for unknown ones. User messages that a program wrote are `injected`.
 */
export function neutralItem(value: unknown): Item {
  const shape = itemShape.safeParse(value).data;
  if (shape === undefined) return NOTHING;
  const item: ItemShape = { ...shape, native: value };
  switch (item.type) {
    case "message":
      return messageItem(item);
    case "reasoning":
      return reply(item, [reasoningPart(item)]);
    case "function_call":
      return reply(item, [callPart(item, parsed(item.arguments))]);
    case "custom_tool_call":
      return reply(item, [callPart(item, item.input ?? "")]);
    case "local_shell_call":
      return reply(item, [callPart({ ...item, name: "local_shell" }, item.action ?? {})]);
    case "function_call_output":
    case "custom_tool_call_output":
      return result(item, outputParts(item.output), failed(item.output));
    case "tool_search_call":
    case "tool_search_output":
      return toolSearch(item);
    case "web_search_call":
    case "image_generation_call":
      return reply(item, [{ type: "opaque", kind: item.type, source: source(item) }]);
    case "compaction":
    case "compaction_summary":
    case "context_compaction":
      return sealedSummary(item);
    default:
      return NOTHING;
  }
}

function messageItem(item: ItemShape): Item {
  const parts = contentParts(item.content);
  if (parts.length === 0) return NOTHING;
  if (item.role === "assistant") {
    return reply(
      item,
      parts.map((part) => ({ ...part, source: source(item) })),
    );
  }
  if (item.role === "user") {
    const byProgram = parts.every((part) => part.type === "text" && PROGRAM_TEXT.test(part.text));
    return {
      type: "input",
      message: { role: "user", parts, kind: byProgram ? "injected" : undefined },
    };
  }
  return item.role === "developer" || item.role === "system"
    ? { type: "input", message: { role: "system", parts } }
    : NOTHING;
}

function reply(item: ItemShape, parts: readonly Part[]): Item {
  return { type: "reply", parts, id: item.id };
}

/** Reasoning is encrypted as a rule; then its summary, if there is one, is all that can be read. */
function reasoningPart(item: ItemShape): Part {
  const pieces = Array.isArray(item.content) ? [...item.summary, ...item.content] : item.summary;
  const readable = contentParts(pieces).flatMap((part) =>
    part.type === "text" ? [part.text] : [],
  );
  return {
    type: "reasoning",
    text: readable.join("\n\n"),
    signature: item.encrypted_content,
    source: source(item),
  };
}

function callPart(item: ItemShape, input: unknown): ToolCallPart {
  return {
    type: "tool-call",
    toolCallId: item.call_id ?? item.id ?? "",
    toolName: item.name ?? "unknown",
    input,
    source: source(item),
  };
}

function result(item: ItemShape, output: readonly OutputPart[], isError: boolean): Item {
  const toolCallId = item.call_id ?? "";
  const part: ToolResultPart = { type: "tool-result", toolCallId, toolName: "unknown", output };
  return { type: "result", part: isError ? { ...part, isError } : part };
}

/** A search that the provider ran itself has no call id and no result of its own. */
function toolSearch(item: ItemShape): Item {
  if (item.call_id === undefined) {
    return reply(item, [{ type: "opaque", kind: item.type, source: source(item) }]);
  }
  return item.type === "tool_search_call"
    ? reply(item, [callPart({ ...item, name: "tool_search" }, parsed(item.arguments))])
    : result(item, [{ type: "opaque", kind: item.type, source: source(item) }], false);
}

/** A summary that only the provider can read. */
function sealedSummary(item: ItemShape): Item {
  const part: Part = { type: "opaque", kind: item.type, source: source(item) };
  return { type: "input", message: { role: "user", parts: [part], kind: "summary" } };
}

function outputParts(output: unknown): OutputPart[] {
  if (typeof output === "string") return textParts(output);
  if (Array.isArray(output)) return contentParts(output);
  return isRecord(output) ? outputParts(output["content"]) : [];
}

function failed(output: unknown): boolean {
  return isRecord(output) && output["success"] === false;
}

const EXECUTES =
  /^(?:execcommand|shell|localshell|shellcommand|containerexec|unifiedexec|applypatch|writestdin)$/;
/** The lines that Codex writes before `Output:` and what the command printed. */
const HEADER =
  /^(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?(?:Process exited with code|Exit code:) (-?\d+)\n/;

/** What Codex itself says of a command's end: in its header, or in older files beside the output. */
export function exitCodeOf(result: ToolResultPart): number | undefined {
  if (!EXECUTES.test(bareName(result.toolName))) return undefined;
  const text = resultText(result);
  const whole = text.startsWith("{") ? parsed(text) : undefined;
  if (!isRecord(whole)) return exitCodeIn(text, HEADER);
  const { metadata } = whole;
  const code = isRecord(metadata) ? metadata["exit_code"] : undefined;
  return typeof code === "number" ? code : undefined;
}

function parsed(json: unknown): unknown {
  if (typeof json !== "string") return json ?? {};
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** What Codex tells its own backend beside an item; the public API knows no such field. */
const PRIVATE_FIELD = "internal_chat_message_metadata_passthrough";

function source({ native }: ItemShape): Source {
  if (!isRecord(native) || !(PRIVATE_FIELD in native)) return { dialect: DIALECT, value: native };
  const { [PRIVATE_FIELD]: _, ...value } = native;
  return { dialect: DIALECT, value };
}

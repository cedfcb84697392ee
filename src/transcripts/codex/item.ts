import { bareName } from "../../core/calls/tool-kind.ts";
import {
  type Message,
  type OutputPart,
  type Part,
  resultText,
  type Source,
  type ToolResultPart,
} from "../../core/message/message.ts";
import { type Fields, fieldsOf, isRecord } from "../../core/text/json.ts";
import { parseInput } from "../../dialects/wire.ts";
import { contentParts, exitCodeIn, resultOf, textParts } from "../content.ts";
import { list, number, text } from "../lenient.ts";

/** The part of one response item in the conversation: a piece of a reply, a result, or something else. */
export interface Item {
  readonly type: "reply" | "results" | "other";
  readonly message: Message;
}

/** Items are OpenAI's: what the model made may go back to it untouched, under its dialect. */
const DIALECT = "openai-responses";

/** Beginnings of the texts that the program writes in the person's name. */
const PROGRAM_TEXT =
  /^\s*(?:# AGENTS\.md instructions for |<(?:environment_context|user_instructions|INSTRUCTIONS|turn_aborted|user_shell_command|skill|subagent_notification|permissions instructions)>)/;

/**
 * A `response_item` as what it is in the conversation; `undefined` for items that carry nothing for
 * the model, and for unknown ones. User messages that a program wrote are `injected`.
 */
export function neutralItem(value: unknown): Item | undefined {
  const item = fieldsOf(value);
  switch (item["type"]) {
    case "message":
      return messageItem(item);
    case "reasoning":
      return reply(item, [reasoningPart(item)]);
    case "function_call":
      return reply(item, [callPart(item, item["name"], parseInput(item["arguments"] ?? {}))]);
    case "custom_tool_call":
      return reply(item, [callPart(item, item["name"], item["input"] ?? "")]);
    case "local_shell_call":
      return reply(item, [callPart(item, "local_shell", item["action"] ?? {})]);
    case "function_call_output":
    case "custom_tool_call_output": {
      const failed = fieldsOf(item["output"])["success"] === false;
      return result(item, outputParts(item["output"]), failed || undefined);
    }
    case "tool_search_call":
    case "tool_search_output":
      return toolSearch(item);
    case "web_search_call":
    case "image_generation_call":
      return reply(item, [opaque(item)]);
    case "compaction":
    case "compaction_summary":
    case "context_compaction":
      // A summary that only the provider can read.
      return { type: "other", message: { role: "user", parts: [opaque(item)], kind: "summary" } };
    default:
      return undefined;
  }
}

function messageItem(item: Fields): Item | undefined {
  const { role, content } = item;
  const parts = contentParts(content);
  if (parts.length === 0) return undefined;
  switch (role) {
    case "assistant":
      return reply(
        item,
        parts.map((part) => ({ ...part, source: source(item) })),
      );
    case "user": {
      const byProgram = parts.every((part) => part.type === "text" && PROGRAM_TEXT.test(part.text));
      return { type: "other", message: { role, parts, kind: byProgram ? "injected" : undefined } };
    }
    case "developer":
    case "system":
      return { type: "other", message: { role: "system", parts } };
    default:
      return undefined;
  }
}

function reply({ id }: Fields, parts: readonly Part[]): Item {
  return { type: "reply", message: { role: "assistant", parts, id: text(id) } };
}

/** Reasoning is encrypted as a rule; then its summary, if there is one, is all that can be read. */
function reasoningPart(item: Fields): Part {
  const { summary, content, encrypted_content: sealed } = item;
  const readable = contentParts([...list(summary), ...list(content)]).flatMap((part) =>
    part.type === "text" ? [part.text] : [],
  );
  const said = readable.join("\n\n");
  return { type: "reasoning", text: said, signature: text(sealed), source: source(item) };
}

function callPart(item: Fields, name: unknown, input: unknown): Part {
  const toolCallId = text(item["call_id"]) ?? text(item["id"]) ?? "";
  const toolName = text(name) ?? "unknown";
  return { type: "tool-call", toolCallId, toolName, input, source: source(item) };
}

function result({ call_id: id }: Fields, output: readonly OutputPart[], isError?: true): Item {
  const part = resultOf({ toolCallId: text(id) ?? "", toolName: "unknown" }, { output, isError });
  return { type: "results", message: { role: "tool", parts: [part] } };
}

/** A search that the provider ran itself has no call id and no result of its own. */
function toolSearch(item: Fields): Item {
  if (typeof item["call_id"] !== "string") return reply(item, [opaque(item)]);
  return item["type"] === "tool_search_call"
    ? reply(item, [callPart(item, "tool_search", parseInput(item["arguments"] ?? {}))])
    : result(item, [opaque(item)]);
}

function opaque(item: Fields): OutputPart {
  return { type: "opaque", kind: String(item["type"]), source: source(item) };
}

function outputParts(output: unknown): OutputPart[] {
  if (typeof output === "string") return textParts(output);
  return isRecord(output) ? outputParts(output["content"]) : contentParts(output);
}

const EXECUTES =
  /^(?:execcommand|shell|localshell|shellcommand|containerexec|unifiedexec|applypatch|writestdin)$/;
/** True of what a tool says that runs commands or changes files. */
export function executes({ toolName }: ToolResultPart): boolean {
  return EXECUTES.test(bareName(toolName));
}

/** The lines that Codex writes before `Output:` and what the command printed. */
const HEADER =
  /^(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?(?:Process exited with code|Exit code:) (-?\d+)\n/;

/** Codex's own word on a command's end: in its header, or in older files beside the output. */
export function exitCodeOf(answer: ToolResultPart): number | undefined {
  if (!executes(answer)) return undefined;
  const said = resultText(answer);
  const whole = said.startsWith("{") ? parseInput(said) : undefined;
  if (!isRecord(whole)) return exitCodeIn(said, HEADER);
  return number(fieldsOf(whole["metadata"])["exit_code"]);
}

/** A word of Codex to its own backend beside an item; the public API knows no such field. */
const PRIVATE_FIELD = "internal_chat_message_metadata_passthrough";

function source(item: Fields): Source {
  if (!(PRIVATE_FIELD in item)) return { dialect: DIALECT, value: item };
  const { [PRIVATE_FIELD]: _, ...value } = item;
  return { dialect: DIALECT, value };
}

import { isRecord } from "../../core/text/json.ts";
import {
  type Message,
  type MessageKind,
  type OutputPart,
  type Part,
  resultText,
  type ToolResultPart,
} from "../../core/message/message.ts";
import { exitCodeIn, textParts } from "../content.ts";
import type { SessionLine } from "./line.ts";

type Block = Readonly<Record<string, unknown>>;

/** Blocks are Anthropic's; those without a neutral part travel untouched under its dialect. */
const DIALECT = "anthropic";

/** How the program begins an output that it wrote to a file, and how it names that file there. */
const PERSISTED = "<persisted-output>";
const SAVED_TO = /Full output saved to: (.+)/;

/** The content of a message, a string or a list of blocks, as neutral parts. */
export function contentBlocks(content: unknown): Part[] {
  if (typeof content === "string") return textParts(content);
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => (isRecord(block) ? blockParts(block) : []));
}

function blockParts(block: Block): Part[] {
  switch (block["type"]) {
    case "thinking":
      return [
        {
          type: "reasoning",
          text: asText(block["thinking"]) ?? "",
          signature: asText(block["signature"]),
        },
      ];
    case "tool_use":
      return [
        {
          type: "tool-call",
          toolCallId: asText(block["id"]) ?? "",
          toolName: asText(block["name"]) ?? "unknown",
          input: block["input"] ?? {},
        },
      ];
    case "tool_result":
      return [resultPart(block)];
    default:
      return outputParts(block);
  }
}

function resultPart(block: Block): ToolResultPart {
  const { content } = block;
  const output =
    typeof content === "string"
      ? textParts(content)
      : (Array.isArray(content) ? content : []).flatMap((piece: unknown) =>
          isRecord(piece) ? outputParts(piece) : [],
        );
  return {
    type: "tool-result",
    toolCallId: asText(block["tool_use_id"]) ?? "",
    toolName: "unknown",
    output,
    isError: block["is_error"] === true ? true : undefined,
    original: savedTo(output),
  };
}

function outputParts(block: Block): OutputPart[] {
  const kind = asText(block["type"]);
  if (kind === undefined) return [];
  if (kind === "text") return textParts(asText(block["text"]) ?? "");
  const from = block["source"];
  if ((kind === "image" || kind === "document") && isRecord(from)) {
    const mediaType = asText(from["media_type"]) ?? (kind === "image" ? "image/*" : undefined);
    const where = { data: asText(from["data"]), url: asText(from["url"]) };
    return [{ type: "file", mediaType: mediaType ?? "application/octet-stream", ...where }];
  }
  return [{ type: "opaque", kind, source: { dialect: DIALECT, value: block } }];
}

/** The file that holds the whole of an output which the program itself did not send whole. */
function savedTo(output: readonly OutputPart[]): string | undefined {
  const first = output[0];
  if (first?.type !== "text" || !first.text.startsWith(PERSISTED)) return undefined;
  return SAVED_TO.exec(first.text)?.[1]?.trim();
}

/** A failed command's result begins with its exit code; what it printed follows. */
export function exitCodeOf(result: ToolResultPart): number | undefined {
  const isCommand = result.toolName === "Bash" || result.toolName === "PowerShell";
  if (!isCommand || result.isError !== true) return undefined;
  return exitCodeIn(resultText(result), /^Exit code (-?\d+)(?:\n|$)/);
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** How the texts begin that the program writes in the person's name. */
const PROGRAM_TEXT =
  /^\s*(?:<(?:command-(?:name|message|args|contents)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)|task-notification|system-reminder|user-memory-input)>|\[Request interrupted by user(?: for tool use)?\]\s*$)/;

/**
 * A user line as neutral messages: its results as one, whatever else it says as another. Only what
 * a person typed has no kind.
 */
export function userMessages(line: SessionLine): readonly Message[] {
  const parts = contentBlocks(line.message?.content);
  const results = parts.filter((part) => part.type === "tool-result");
  const rest = parts.filter((part) => part.type !== "tool-result");
  const messages: Message[] = [];
  if (results.length > 0) messages.push({ role: "tool", parts: results });
  if (rest.length > 0) {
    const kind = results.length > 0 ? "injected" : userKind(line, rest);
    messages.push({ role: "user", parts: rest, kind });
  }
  return messages;
}

function userKind(line: SessionLine, parts: readonly Part[]): MessageKind | undefined {
  if (line.isCompactSummary === true) return "summary";
  if (line.isMeta === true) return "injected";
  if (line.origin?.kind !== undefined) return line.origin.kind === "human" ? undefined : "injected";
  const byProgram = parts.every((part) => part.type === "text" && PROGRAM_TEXT.test(part.text));
  return byProgram ? "injected" : undefined;
}

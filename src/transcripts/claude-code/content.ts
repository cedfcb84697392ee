import {
  type OutputPart,
  type Part,
  resultText,
  type ToolResultPart,
} from "../../core/message/message.ts";
import type { Fields } from "../../core/text/json.ts";
import { blockParts, exitCodeIn, resultOf, textParts } from "../content.ts";
import { records, text } from "../lenient.ts";

/** The content of a message, a string or a list of Anthropic's blocks, as neutral parts. */
export function contentBlocks(content: unknown): Part[] {
  return typeof content === "string" ? textParts(content) : records(content).flatMap(parts);
}

function parts(block: Fields): Part[] {
  const { type, id, name, input } = block;
  switch (type) {
    case "thinking": {
      const signature = text(block["signature"]);
      const source = { dialect: "anthropic", value: block };
      return [{ type: "reasoning", text: text(block["thinking"]) ?? "", signature, source }];
    }
    case "tool_use": {
      const called = { toolCallId: text(id) ?? "", toolName: text(name) ?? "unknown" };
      return [{ type: "tool-call", ...called, input: input ?? {} }];
    }
    case "tool_result":
      return [decodeResult(block)];
    default:
      return blockParts(block);
  }
}

function decodeResult({ tool_use_id: id, is_error: failed, content }: Fields): ToolResultPart {
  const output =
    typeof content === "string" ? textParts(content) : records(content).flatMap(blockParts);
  return resultOf(
    { toolCallId: text(id) ?? "", toolName: "unknown" },
    { output, isError: failed === true || undefined, original: savedTo(output) },
  );
}

/** The beginning of an output that the program wrote to a file, with the name of that file. */
const PERSISTED = "<persisted-output>";
const SAVED_TO = /Full output saved to: (.+)/;

/** The file that holds the whole of an output which the program itself did not send whole. */
function savedTo([first]: readonly OutputPart[]): string | undefined {
  if (first?.type !== "text" || !first.text.startsWith(PERSISTED)) return undefined;
  return SAVED_TO.exec(first.text)?.[1]?.trim();
}

/** A failed command's result begins with its exit code; what it printed follows. */
export function exitCodeOf(result: ToolResultPart): number | undefined {
  const isCommand = result.toolName === "Bash" || result.toolName === "PowerShell";
  if (!isCommand || result.isError !== true) return undefined;
  return exitCodeIn(resultText(result), /^Exit code (-?\d+)(?:\n|$)/);
}

import type {
  FilePart,
  OutputPart,
  ToolCallPart,
  ToolResultPart,
} from "../../core/message/index.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { type CallIds, safeName } from "../call-ids.ts";
import { addressOf, isSameFile } from "../files.ts";
import { foreignText, outputAsText } from "../foreign-text.ts";
import { nativeBlock, nativeOf, withFields } from "../native-message.ts";
import {
  argumentsText,
  type Block,
  isWireObject,
  type WireBlock,
  type WireObject,
} from "../wire.ts";
import { decodeFile } from "./decode-item.ts";
import {
  callIdOf,
  isItem,
  OPENAI_RESPONSES,
  outputType,
  type ResponsesCallOutput,
  type ResponsesCustomToolCall,
  type ResponsesFunctionCall,
  type ResponsesInputPart,
  type ResponsesItem,
  shellText,
} from "./wire.ts";

/** The API refuses longer ids of calls; names of functions may be this long everywhere. */
export const MAX_CALL_ID = 64;
const MAX_TOOL_NAME = 64;

/** The calls that went out so far: their ids, and what kind of output each needs. */
export interface SentCalls {
  readonly ids: CallIds;
  /** The type of each call by the id under which it went out. */
  readonly types: Map<string, string>;
}

export function keepCall(part: ToolCallPart, { ids, types }: SentCalls): void {
  ids.keep(part.toolCallId);
  const native = nativeOf(part, OPENAI_RESPONSES);
  types.set(part.toolCallId, isWireObject(native) ? String(native["type"]) : "function_call");
}

/** A native call with this part's id and input. The text of equal arguments stays byte for byte. */
export function encodeNativeCall(
  part: ToolCallPart,
  native: WireObject,
  calls: SentCalls,
): ResponsesItem {
  keepCall(part, calls);
  const { input } = part;
  // The item of another call would be named by the id of this one.
  const isSame = callIdOf(native) === part.toolCallId;
  const ids = isSame ? {} : { call_id: part.toolCallId, id: undefined };
  switch (native["type"]) {
    case "function_call": {
      const text = argumentsText(input, native["arguments"]);
      return withFields(native, { ...ids, arguments: text });
    }
    case "custom_tool_call":
      return withFields(native, { ...ids, input: argumentsText(input) });
    case "apply_patch_call":
      return withFields(native, { ...ids, operation: sameShape(native["operation"], input) });
    default:
      return withFields(native, { ...ids, action: sameShape(native["action"], input) });
  }
}

/** The input of a tool with a shape of its own; what does not have it is not sent. */
function sameShape(before: unknown, after: unknown): unknown {
  if (!isWireObject(before) || !isWireObject(after)) return before;
  const names = Object.keys(before);
  const isSame =
    names.length === Object.keys(after).length &&
    before["type"] === after["type"] &&
    names.every((name) => kindOf(before[name]) === kindOf(after[name]));
  return isSame ? after : before;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value;
}

/** A call from elsewhere: free text is the input of a custom tool, all else of a function. */
export function encodeForeignCall(
  part: ToolCallPart,
  { ids, types }: SentCalls,
): ResponsesFunctionCall | ResponsesCustomToolCall {
  const call_id = ids.assign(part.toolCallId);
  const name = safeName(part.toolName, MAX_TOOL_NAME);
  const type = typeof part.input === "string" ? "custom_tool_call" : "function_call";
  types.set(call_id, type);
  if (typeof part.input === "string") {
    return { type: "custom_tool_call", call_id, name, input: part.input };
  }
  return { type: "function_call", call_id, name, arguments: argumentsText(part.input) };
}

/** A tool result: the native item as long as it says the same, a copy of it, or a new one. */
export function encodeResult(part: ToolResultPart, { ids, types }: SentCalls): ResponsesItem {
  const callId = ids.resolve(part.toolCallId);
  const native = nativeOf(part, OPENAI_RESPONSES);
  if (!isWireObject(native)) return newOutput(part, callId, outputType(types.get(callId)));
  const known = callIdOf(native);
  const isSame = known === callId || native["call_id"] === undefined;
  const moved = isSame ? {} : { call_id: callId, id: undefined };
  return withFields(native, { ...moved, output: outputOf(part, native) });
}

function outputOf(part: ToolResultPart, native: WireObject): unknown {
  const before = native["output"];
  switch (native["type"]) {
    case "shell_call_output":
      return encodeShell(part.output, before, part.exitCode);
    case "local_shell_call_output":
    case "apply_patch_call_output":
      return part.output.length === 0 ? before : outputAsText(part.output);
    default:
      return encodeContent(part.output, before, "input");
  }
}

function newOutput(part: ToolResultPart, call_id: string, type: string): ResponsesItem {
  const { output, isError = false, exitCode } = part;
  switch (type) {
    case "shell_call_output":
      return { type, call_id, output: encodeShell(output, undefined, exitCode) } as ResponsesItem;
    case "apply_patch_call_output": {
      const status = isError ? "failed" : "completed";
      return { type, call_id, status, output: outputAsText(output) } as ResponsesItem;
    }
    case "local_shell_call_output":
      return { type, id: call_id, output: outputAsText(output) } as ResponsesItem;
    case "tool_search_output":
      return (
        foundTools(output) ?? ({ type, call_id, execution: "client", tools: [] } as ResponsesItem)
      );
    default: {
      const content = encodeContent(output, undefined, "input");
      return { type, call_id, output: content } as ResponsesCallOutput;
    }
  }
}

/** The item itself, which a session of Codex keeps as the output. */
function foundTools([only]: readonly OutputPart[]): ResponsesItem | undefined {
  const item = only?.type === "opaque" ? nativeOf(only, OPENAI_RESPONSES) : undefined;
  return isItem(item) ? item : undefined;
}

/** The speaker: the model's words are output, everything else is input. */
type Side = "input" | "output";

/** A string where it was one (or there was none) and one text says it all, else blocks. */
export function encodeContent(
  parts: readonly OutputPart[],
  before: unknown,
  side: Side,
): string | WireBlock[] {
  const only = parts[0];
  if (only === undefined) return Array.isArray(before) && before.length === 0 ? before : "";
  if (!Array.isArray(before)) {
    const isText = parts.length === 1 && only.type === "text" && blockOf(only) === undefined;
    if (isText) return only.text;
    // The model's own words have no short form with blocks.
    if (side === "output") return outputAsText(parts);
  }
  return parts.map((part) => encodeBlock(part, side));
}

function encodeBlock(part: OutputPart, side: Side): WireBlock {
  const native = blockOf(part);
  if (part.type === "text") {
    if (native?.["text"] === part.text) return native;
    if (native === undefined) return textBlock(part.text, side);
    // Annotations and probabilities are of the old text.
    const annotations = "annotations" in native ? [] : undefined;
    return withFields(native, { text: part.text, annotations, logprobs: undefined });
  }
  const isSame = part.type === "opaque" || (native && isSameFile(part, decodeFile(native)));
  if (native !== undefined && isSame) return native;
  if (part.type === "file" && side === "input") return encodeFile(part);
  return textBlock(foreignText(part), side);
}

/** The native block of a part; undefined where the part is an item, or what its string said. */
function blockOf(part: OutputPart): Block | undefined {
  const native = nativeBlock(part, OPENAI_RESPONSES);
  return isItem(native) ? undefined : native;
}

function textBlock(text: string, side: Side): WireBlock {
  return side === "input"
    ? { type: "input_text", text }
    : { type: "output_text", text, annotations: [] };
}

function encodeFile(part: FilePart): ResponsesInputPart {
  const { mediaType, data, filename } = part;
  const address = addressOf(part);
  if (mediaType.startsWith("image/") && address !== undefined) {
    return { type: "input_image", detail: "auto", image_url: address };
  }
  if (mediaType === "application/pdf" && address !== undefined) {
    return data === undefined
      ? { type: "input_file", file_url: address }
      : { type: "input_file", filename: filename ?? "document.pdf", file_data: address };
  }
  return { type: "input_text", text: foreignText(part) };
}

/** The pieces of a shell's output; each keeps the outcome of its command. */
function encodeShell(
  parts: readonly OutputPart[],
  before: unknown,
  exitCode: number | undefined,
): readonly unknown[] {
  const native = Array.isArray(before) ? (before as unknown[]) : [];
  const { outcome = { type: "exit", exit_code: exitCode ?? 0 } } = fieldsOf(native.at(-1));
  return parts.map((part) => {
    const text = part.type === "text" ? part.text : foreignText(part);
    const piece = nativeOf(part, OPENAI_RESPONSES);
    if (!isWireObject(piece)) return { stdout: text, stderr: "", outcome };
    return shellText(piece) === text ? piece : withFields(piece, { stdout: text, stderr: "" });
  });
}

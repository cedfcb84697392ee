import type {
  FilePart,
  OpaquePart,
  OutputPart,
  Part,
  ReasoningPart,
  ToolResultPart,
} from "../../core/message/index.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { fileTokens } from "../../core/tokens/media.ts";
import { decodeBlock, decodeContent } from "../decoding.ts";
import { fileAt, parseDataUrl } from "../files.ts";
import { type Draft, splitSummary } from "../native-message.ts";
import {
  describeValue,
  invalidWire,
  isWireObject,
  numberIn,
  parseInput,
  requiredString,
  textIn,
  type WireObject,
  type WirePlace,
} from "../wire.ts";
import {
  answeredTypes,
  callIdOf,
  isHosted,
  itemType,
  linkOf,
  mayBeCall,
  OPENAI_RESPONSES,
  shellText,
} from "./wire.ts";

interface SeenCall {
  readonly callId: string;
  /** Absent on a call that is opaque. */
  readonly toolName?: string;
  /** The provider carries it out and makes its output. */
  readonly isHosted: boolean;
}

type SeenCalls = ReturnType<typeof createSeenCalls>;

/** The calls of a conversation so far, for the outputs that answer them. */
export function createSeenCalls() {
  const calls = new Map<string, SeenCall>();
  let references = 0;
  return {
    open(native: WireObject, call: SeenCall): void {
      calls.set(call.callId, call);
      if (native["type"] === "local_shell_call" && typeof native["id"] === "string") {
        calls.set(native["id"], call);
      }
    },
    /** The nearest call before with this id; of the local shell also by the id of its item. */
    find: (callId = "") => calls.get(callId),
    /** Notes a reference to a stored item that may be a call. */
    refer(): void {
      references += 1;
    },
    /** A stored item that was referred to may be the call of an output; takes it. */
    takeReference(): boolean {
      if (references === 0) return false;
      references -= 1;
      return true;
    },
  };
}

/** One item, decoded: a part of the model's reply, or messages of its own. */
type DecodedItem =
  | { readonly type: "reply"; readonly parts: readonly Part[] }
  | { readonly type: "messages"; readonly drafts: readonly Draft[] };

/** Decodes one item; notes the calls in it. Throws `ContextError` code `invalid-message`. */
export function decodeItem(native: unknown, calls: SeenCalls, place: WirePlace): DecodedItem {
  if (!isWireObject(native)) throw invalidWire(place, `is ${describeValue(native)} and no object`);
  const type = itemType(native);
  switch (type) {
    case undefined:
      throw invalidWire(place, "has neither a type nor a role nor an id");
    case "message":
      return decodeMessage(native, place);
    case "reasoning":
      return { type: "reply", parts: [decodeReasoning(native)] };
    case "compaction":
    case "compaction_summary":
    case "context_compaction":
      return messages({ role: "user", kind: "summary", parts: [opaque(native)] });
    case "compaction_trigger":
    case "configuration_update":
      return messages({ role: "user", kind: "injected", parts: [opaque(native)] });
    case "mcp_approval_response":
      return messages({ role: "tool", parts: [opaque(native)] });
    case "item_reference":
      if (mayBeCall(native)) calls.refer();
      return { type: "reply", parts: [opaque(native)] };
    default:
      if (answeredTypes(type).length > 0) return decodeOutput(native, calls, place);
      if (typeof native["role"] === "string") return decodeNote(native, native["role"], place);
      return { type: "reply", parts: [decodeCall(native, calls, place) ?? opaque(native)] };
  }
}

function messages(...drafts: readonly Draft[]): DecodedItem {
  return { type: "messages", drafts };
}

function decodeMessage(native: WireObject, place: WirePlace): DecodedItem {
  const role = requiredString(native, "role", place);
  const parts = decodeSaid(native["content"], place, native);
  switch (role) {
    case "assistant":
      return { type: "reply", parts };
    case "user":
      return messages(...splitSummary({ role, parts }));
    case "system":
    case "developer":
      return messages(...splitSummary({ role: "system", parts }));
    default:
      throw invalidWire(place, `has the unknown role "${role}"`);
  }
}

/** An item with a role that is no message, e.g. `additional_tools` of the developer. */
function decodeNote(native: WireObject, role: string, place: WirePlace): DecodedItem {
  const parts = [opaque(native)];
  if (role === "assistant") return { type: "reply", parts };
  if (role === "user") return messages({ role, kind: "injected", parts });
  if (role === "developer" || role === "system") return messages({ role: "system", parts });
  throw invalidWire(place, `has the unknown role "${role}"`);
}

/** Reasoning is encrypted as a rule; then its summary, if there is one, is all that can be read. */
function decodeReasoning(native: WireObject): ReasoningPart {
  const pieces = [native["summary"], native["content"]].filter((list) => Array.isArray(list));
  const texts = pieces.flat().map((piece: unknown) => textIn(fieldsOf(piece), "text"));
  const readable = texts.filter((text) => text !== undefined);
  return {
    type: "reasoning",
    text: readable.join("\n\n"),
    signature: textIn(native, "encrypted_content"),
    source: { dialect: OPENAI_RESPONSES, value: native },
  };
}

/** A call that the client carries out and answers with text; undefined for any other item. */
function decodeCall(native: WireObject, calls: SeenCalls, place: WirePlace): Part | undefined {
  const called = calledTool(native, place);
  const toolCallId = callIdOf(native);
  const isOurs = called !== undefined && !isHosted(native);
  if (toolCallId !== undefined) {
    const toolName = isOurs ? called.toolName : undefined;
    calls.open(native, { callId: toolCallId, isHosted: isHosted(native), toolName });
  }
  if (!isOurs) return undefined;
  if (toolCallId === undefined) throw invalidWire(place, "is a call without a call_id");
  const source = { dialect: OPENAI_RESPONSES, value: native };
  return { type: "tool-call", toolCallId, ...called, source };
}

function calledTool(
  native: WireObject,
  place: WirePlace,
): { readonly toolName: string; readonly input: unknown } | undefined {
  switch (native["type"]) {
    case "function_call":
      requiredString(native, "call_id", place);
      return {
        toolName: requiredString(native, "name", place),
        input: parseInput(native["arguments"]),
      };
    case "custom_tool_call":
      requiredString(native, "call_id", place);
      return { toolName: requiredString(native, "name", place), input: native["input"] };
    case "local_shell_call":
      return { toolName: "local_shell", input: native["action"] };
    case "shell_call":
      return { toolName: "shell", input: native["action"] };
    case "apply_patch_call":
      return { toolName: "apply_patch", input: native["operation"] };
    default:
      return undefined;
  }
}

/**
 * An output of the provider's own tool is a piece of the reply; one that cannot be edited is
 * opaque.
 */
function decodeOutput(native: WireObject, calls: SeenCalls, place: WirePlace): DecodedItem {
  const toolCallId = callIdOf(native);
  const call = calls.find(toolCallId);
  if (isHosted(native) || call?.isHosted === true)
    return { type: "reply", parts: [opaque(native)] };
  const isKnown = call?.toolName !== undefined;
  const isUnread =
    native["type"] === "computer_call_output" || native["type"] === "tool_search_output";
  if (isUnread || (!isKnown && calls.takeReference())) {
    return messages({ role: "tool", parts: [opaque(native)] });
  }
  if (toolCallId === undefined) throw invalidWire(place, "is an output without a call_id");
  const part: ToolResultPart = {
    type: "tool-result",
    toolCallId: call?.callId ?? toolCallId,
    toolName: call?.toolName ?? "unknown",
    ...decodeResult(native, place),
    source: { dialect: OPENAI_RESPONSES, value: native },
  };
  return messages({ role: "tool", parts: [part] });
}

type Result = Pick<ToolResultPart, "output" | "isError" | "exitCode">;

function decodeResult(native: WireObject, place: WirePlace): Result {
  const { type, output, status } = native;
  if (type === "apply_patch_call_output") {
    const failed = typeof status === "string" && { isError: status === "failed" };
    return { output: decodeSaid(output, place), ...failed };
  }
  if (type === "shell_call_output") return decodeShell(output, place);
  return { output: decodeSaid(output, place) };
}

/** Each command of a shell call has its own streams and outcome; the last outcome counts. */
function decodeShell(output: unknown, place: WirePlace): Result {
  const problem = `has ${describeValue(output)} as shell output`;
  if (!Array.isArray(output)) throw invalidWire(place, problem);
  const pieces = output.map((piece: unknown): OutputPart => {
    if (!isWireObject(piece)) throw invalidWire(place, "has a piece of shell output that is none");
    const source = { dialect: OPENAI_RESPONSES, value: piece };
    return { type: "text", text: shellText(piece), source };
  });
  const outcome = fieldsOf(fieldsOf(output.at(-1))["outcome"]);
  return {
    output: pieces,
    isError: outcome["type"] === "timeout" ? true : undefined,
    exitCode: numberIn(outcome, "exit_code"),
  };
}

function opaque(native: WireObject): OpaquePart {
  return {
    type: "opaque",
    kind: itemType(native) ?? "unknown",
    tokens: imageTokens(native),
    link: linkOf(native),
    source: { dialect: OPENAI_RESPONSES, value: native },
  };
}

/** A picture costs what its pixels cost, whether it was drawn or is a screenshot. */
function imageTokens({ type, result, output }: WireObject): number | undefined {
  if (type === "image_generation_call" && typeof result === "string") {
    return fileTokens({ type: "file", mediaType: "image/png", data: result });
  }
  if (type !== "computer_call_output" || !isWireObject(output)) return undefined;
  const inline = parseDataUrl(textIn(output, "image_url") ?? "");
  return fileTokens({ type: "file", mediaType: "image/png", ...inline });
}

const TEXTS: ReadonlySet<string> = new Set(["input_text", "output_text", "text"]);

/** The parts of a content. `owner` is the message that a string is the whole content of. */
function decodeSaid(content: unknown, place: WirePlace, owner?: object): OutputPart[] {
  const source = owner && { dialect: OPENAI_RESPONSES, value: owner };
  if (typeof content === "string") return [{ type: "text", text: content, source }];
  return decodeContent(content ?? [], place, (block): OutputPart => {
    if (!TEXTS.has(block.type)) return decodeBlock(block, place, { file: decodeFile });
    const text = requiredString(block, "text", place);
    return { type: "text", text, source: { dialect: OPENAI_RESPONSES, value: block } };
  });
}

/** The image or file in a block; of an uploaded file only its kind is known. */
export function decodeFile(block: WireObject): FilePart | undefined {
  const { type, image_url: image } = block;
  if (type === "input_image") {
    return typeof image === "string" ? fileAt(image) : { type: "file", mediaType: "image/*" };
  }
  if (type !== "input_file") return undefined;
  const data = textIn(block, "file_data");
  return {
    type: "file",
    mediaType: "application/octet-stream",
    data,
    url: data === undefined ? textIn(block, "file_url") : undefined,
    ...(data !== undefined && parseDataUrl(data)),
    filename: textIn(block, "filename"),
  };
}

import type { FilePart, Message, OutputPart, Part } from "../../core/message/index.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { createDecoder, decodeBlock, decodeContent } from "../decoding.ts";
import { type Draft, fromNative, splitSummary } from "../native-message.ts";
import {
  type Block,
  describeValue,
  invalidWire,
  isText,
  isWireObject,
  requiredString,
  textIn,
  type WireObject,
  type WirePlace,
} from "../wire.ts";
import {
  ANTHROPIC,
  type AnthropicConversation,
  type AnthropicMessage,
  SERVER_TOOL_BLOCK,
} from "./wire.ts";

/**
 * Decodes the `system` and `messages` of a request. `system` becomes one leading system message.
 * A user message with tool results becomes a tool message and, if it holds more, a user message.
 * Throws `ContextError` code `invalid-message`.
 */
export function decodeAnthropic(conversation: AnthropicConversation): readonly Message[] {
  const place = { dialect: ANTHROPIC };
  if (!isWireObject(conversation)) {
    throw invalidWire(place, `is ${describeValue(conversation)} and no object with "messages"`);
  }
  const { system, messages } = conversation as AnthropicConversation;
  if (!Array.isArray(messages)) {
    throw invalidWire(place, `needs an array in "messages", not ${describeValue(messages)}`);
  }
  const decode = createAnthropicDecoder();
  const leading = system === undefined ? [] : decodeSystem(system);
  return [...leading, ...messages.flatMap((native: AnthropicMessage) => decode(native))];
}

/** A decoder that takes the entries of `messages` one by one. */
export function createAnthropicDecoder(): (native: AnthropicMessage) => readonly Message[] {
  const names: CallNames = new Map();
  return createDecoder(ANTHROPIC, (native, place) => decodeMessage(native, names, place));
}

/** The source of this message is the value of `system` itself: a string or an array. */
function decodeSystem(system: unknown): Message[] {
  const parts = decodeBlocks(system, new Map(), { dialect: ANTHROPIC });
  return fromNative(ANTHROPIC, system, [{ role: "system", parts }]);
}

function decodeMessage(native: WireObject, names: CallNames, place: WirePlace): Draft[] {
  const role = requiredString(native, "role", place);
  const settings = native["output_config"];
  if (role === "system" && native["content"] === undefined && isWireObject(settings)) {
    const source = { dialect: ANTHROPIC, value: settings };
    return [{ role, parts: [{ type: "opaque", kind: "output_config", source }] }];
  }
  const parts = decodeBlocks(native["content"], names, place);
  if (role === "assistant") return [{ role, parts }];
  if (role === "system") return splitSummary({ role, parts });
  if (role === "user") return splitUser(parts);
  throw invalidWire(place, `has the unknown role "${role}"`);
}

/** Cuts a user message where tool results begin or end. */
function splitUser(parts: readonly Part[]): Draft[] {
  const runs: { role: "user" | "tool"; parts: Part[] }[] = [];
  for (const part of parts) {
    const role = part.type === "tool-result" ? "tool" : "user";
    const run = runs.at(-1);
    if (run?.role === role) run.parts.push(part);
    else runs.push({ role, parts: [part] });
  }
  const [first, ...rest] = runs.length > 0 ? runs : [{ role: "user" as const, parts: [] }];
  if (first === undefined) return [];
  return first.role === "user" ? [...splitSummary(first), ...rest] : [first, ...rest];
}

type CallNames = Map<string, string>;

function decodeBlocks(content: unknown, names: CallNames, place: WirePlace): Part[] {
  return decodeContent(content, place, (block): Part => {
    const source = { dialect: ANTHROPIC, value: block };
    switch (block.type) {
      case "thinking": {
        const text = requiredString(block, "thinking", place);
        const signature = isText(block["signature"]) ? block["signature"] : undefined;
        return { type: "reasoning", text, signature, source };
      }
      case "redacted_thinking":
        // Thinking of which only the sealed form exists; it goes and stays with the other thinking.
        return { type: "reasoning", text: "", signature: String(block["data"]), source };
      case "tool_use": {
        const toolCallId = requiredString(block, "id", place);
        const toolName = requiredString(block, "name", place);
        names.set(toolCallId, toolName);
        return { type: "tool-call", toolCallId, toolName, input: block["input"], source };
      }
      case "tool_result":
        return decodeResult(block, names, place);
      default:
        return decodeOther(block, place);
    }
  });
}

function decodeResult(block: Block, names: CallNames, place: WirePlace): Part {
  const toolCallId = requiredString(block, "tool_use_id", place);
  return {
    type: "tool-result",
    toolCallId,
    toolName: names.get(toolCallId) ?? "unknown",
    output: decodeContent(block["content"] ?? [], place, (inner) => decodeOther(inner, place)),
    isError: block["is_error"] === true ? true : undefined,
    source: { dialect: ANTHROPIC, value: block },
  };
}

function decodeOther(block: Block, place: WirePlace): OutputPart {
  return decodeBlock(block, place, { file: decodeFile, link: linkOf });
}

/** Links a server tool's call and its result, which may come in a later message. */
function linkOf(block: Block): string | undefined {
  if (!SERVER_TOOL_BLOCK.test(block.type)) return undefined;
  return textIn(block, "tool_use_id") ?? textIn(block, "id");
}

/** The image or document in a block; of an uploaded file only its kind is known. */
export function decodeFile(block: WireObject): FilePart | undefined {
  const { type, title, source } = block;
  if (type !== "image" && type !== "document") return undefined;
  const { type: form, media_type: named, data, url } = fieldsOf(source);
  const mediaType = isText(named) ? named : type === "image" ? "image/*" : "application/pdf";
  const file: FilePart = { type: "file", mediaType, filename: isText(title) ? title : undefined };
  if (form === "base64" && isText(data)) return { ...file, data };
  if (form === "url" && isText(url)) return { ...file, url };
  return form === "file" ? file : undefined;
}

import { base64, fileData, isBytes } from "../../core/message/file-data.ts";
import { fieldsOf, toJson } from "../../core/text/json.ts";
import type {
  FilePart,
  Message,
  OutputPart,
  Part,
  ReasoningPart,
  ToolResultPart,
} from "../../core/message/index.ts";
import { createDecoder, decodeBlock, decodeContent } from "../decoding.ts";
import { parseDataUrl } from "../files.ts";
import { readMessageMarks, readResultMarks } from "../marks.ts";
import { type Draft, splitSummary } from "../native-message.ts";
import {
  type Block,
  describeValue,
  invalidWire,
  isWireBlock,
  isWireObject,
  objectsIn,
  requiredString,
  textIn,
  type WireBlock,
  type WireObject,
  type WirePlace,
} from "../wire.ts";
import { AI_SDK, type AiSdkMessage } from "./wire.ts";

export function createAiSdkDecoder(): (native: AiSdkMessage) => readonly Message[] {
  return createDecoder(AI_SDK, decodeMessage);
}

function decodeMessage(native: WireObject, place: WirePlace): Draft[] {
  const role = requiredString(native, "role", place);
  const marks = readMessageMarks(native["providerOptions"]);
  const parts = decodeParts(native, place);
  if (role === "assistant" || role === "tool") return [{ role, parts, ...marks }];
  if (role !== "system" && role !== "user") {
    throw invalidWire(place, `has the unknown role "${role}"`);
  }
  const draft: Draft = { role, parts, ...marks };
  return marks.kind === undefined ? splitSummary(draft) : [draft];
}

const DENIED = "Tool execution denied.";

/**
 * The content of a message. Calls and results that the provider executed are not ours to pair or to
 * prune, so they are opaque, linked where the result comes in a later message; so are approvals and
 * custom parts. A call that was put up for approval is pending.
 */
function decodeParts({ content, role }: WireObject, place: WirePlace): Part[] {
  const requests = objectsIn(content).filter(({ type }) => type === "tool-approval-request");
  const asked = new Set(requests.map(({ toolCallId }) => toolCallId));
  return decodeContent(content, place, (part): Part => {
    const decoded = decodePart(part, String(role), place);
    const isPending = decoded.type === "tool-call" && asked.has(decoded.toolCallId);
    return isPending ? { ...decoded, pending: true } : decoded;
  });
}

function decodePart(native: Block, role: string, place: WirePlace): Part {
  const source = { dialect: AI_SDK, value: native };
  switch (native.type) {
    case "text":
      return { type: "text", text: requiredString(native, "text", place), source };
    case "reasoning":
      return decodeReasoning(native, place);
    case "tool-call":
      if (native["providerExecuted"] === true) break;
      return {
        type: "tool-call",
        toolCallId: requiredString(native, "toolCallId", place),
        toolName: requiredString(native, "toolName", place),
        input: native["input"],
        source,
      };
    case "tool-result":
      if (role === "assistant") break;
      return decodeResult(native, place);
    default: {
      const file = decodeFile(native);
      if (file !== undefined) return { ...file, source };
    }
  }
  return { type: "opaque", kind: native.type, link: linkOf(native), source };
}

/** The link of a provider's own call and its result, or of a question and its answer. */
function linkOf({ type, toolCallId, approvalId }: WireObject): string | undefined {
  const link = type === "tool-call" || type === "tool-result" ? toolCallId : approvalId;
  return typeof link === "string" ? link : undefined;
}

/** The fields in which providers keep the sealed form of a model's thinking. */
const SIGNATURES = [
  ["anthropic", "signature"],
  ["anthropic", "redactedData"],
  ["openai", "reasoningEncryptedContent"],
  ["google", "thoughtSignature"],
  ["bedrock", "signature"],
] as const;

function decodeReasoning(native: WireObject, place: WirePlace): ReasoningPart {
  const text = requiredString(native, "text", place);
  const values = SIGNATURES.map(([provider, field]) => providerOption(native, provider, field));
  const signature = values.find((value) => typeof value === "string");
  return { type: "reasoning", text, signature, source: { dialect: AI_SDK, value: native } };
}

/** One option of one provider; undefined when it is not set. */
export function providerOption(native: WireObject, provider: string, field: string): unknown {
  return fieldsOf(fieldsOf(native["providerOptions"])[provider])[field];
}

/** The file in an `image` or `file` part; undefined for other parts and provider references. */
export function decodeFile(native: WireObject): FilePart | undefined {
  const isImage = native["type"] === "image";
  if (!isImage && native["type"] !== "file") return undefined;
  const usual = isImage ? "image/*" : "application/octet-stream";
  return filePart(isImage ? native["image"] : native["data"], native, usual);
}

function filePart(value: unknown, native: WireObject, usual: string): FilePart | undefined {
  const content = fileContent(value);
  if (content === undefined) return undefined;
  const named = textIn(native, "mediaType") ?? usual;
  // Version 7 also takes the first half of a media type alone.
  const mediaType = named.includes("/") ? named : `${named}/*`;
  return { type: "file", mediaType, ...content, filename: textIn(native, "filename") };
}

function decodeResult(native: WireObject, place: WirePlace): ToolResultPart {
  const output = native["output"];
  if (!isWireBlock(output)) throw invalidWire(place, "has a tool result without an output");
  return {
    type: "tool-result",
    toolCallId: requiredString(native, "toolCallId", place),
    toolName: requiredString(native, "toolName", place),
    output: decodeOutput(output, place),
    isError: isFailure(output) ? true : undefined,
    ...readResultMarks(native["providerOptions"]),
    source: { dialect: AI_SDK, value: native },
  };
}

function isFailure(output: WireBlock): boolean {
  return output.type.startsWith("error-") || output.type === "execution-denied";
}

export function decodeOutput(output: Block, place: WirePlace): OutputPart[] {
  const { type, value, reason } = output;
  switch (type) {
    case "text":
    case "error-text":
      return [{ type: "text", text: requiredString(output, "value", place) }];
    case "json":
    case "error-json":
      return [{ type: "text", text: toJson(value) }];
    case "execution-denied":
      return [{ type: "text", text: typeof reason === "string" ? reason : DENIED }];
    case "content":
      if (!Array.isArray(value)) {
        throw invalidWire(place, `has a tool result whose content is ${describeValue(value)}`);
      }
      return decodeContent(value, place, (piece) =>
        decodeBlock(piece, place, { file: decodeOutputFile }),
      );
    default:
      throw invalidWire(place, `has a tool result with the unknown output type "${type}"`);
  }
}

/** The file in a piece of a `content` output; undefined for provider references. */
export function decodeOutputFile(piece: WireObject): FilePart | undefined {
  const type = String(piece["type"]);
  if (!/^(?:media|file|image|file-data|image-data|file-url|image-url)$/.test(type))
    return undefined;
  const usual = type.startsWith("image") ? "image/*" : "application/octet-stream";
  return filePart(type.endsWith("-url") ? piece["url"] : piece["data"], piece, usual);
}

type FileContent = Pick<FilePart, "data" | "url"> & { readonly mediaType?: string };

const WEB_URL = /^https?:\/\//i;

/**
 * The content of a file in any form that the SDK takes: base64, a URL (as text or object), bytes,
 * or version 7's tagged `{ type, data | url | text }`. Undefined for a provider's own reference.
 */
function fileContent(value: unknown): FileContent | undefined {
  if (typeof value === "string") return textContent(value);
  if (value instanceof URL) return textContent(value.href);
  if (isBytes(value)) return { data: fileData({ data: value }) };
  if (!isWireObject(value)) return undefined;
  const { type, data, url, text } = value;
  if (type === "text") return { data: base64(new TextEncoder().encode(String(text))) };
  return type === "data" || type === "url" ? fileContent(type === "data" ? data : url) : undefined;
}

function textContent(value: string): FileContent {
  if (WEB_URL.test(value)) return { url: value };
  return parseDataUrl(value) ?? { data: value };
}

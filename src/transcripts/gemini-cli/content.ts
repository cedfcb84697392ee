import { toJson } from "../../core/text/index.ts";
import type { FilePart, OutputPart, Part, TextPart } from "../../core/message/index.ts";
import { anything, fields, flag, list, text } from "../lenient.ts";

const partSchema = fields({
  text,
  thought: flag,
  inlineData: fields({ mimeType: text, data: text }),
  fileData: fields({ mimeType: text, fileUri: text }),
  functionCall: fields({ id: text, name: text, args: anything }),
  functionResponse: fields({ id: text, name: text, response: anything }),
});

/** One piece of a Gemini `PartListUnion`: a text alone counts as one. */
export interface NativePart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly inlineData?: { mimeType?: string; data?: string | undefined } | undefined;
  readonly fileData?: { mimeType?: string; fileUri?: string | undefined } | undefined;
  readonly functionCall?: FunctionCall;
  readonly functionResponse?: FunctionResponse;
}

export interface FunctionCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: unknown;
}

export interface FunctionResponse {
  readonly id?: string;
  readonly name?: string;
  readonly response?: unknown;
}

/** Content is a text, a part, or a list of both. */
export function nativeParts(content: unknown): NativePart[] {
  const items = Array.isArray(content) ? list.parse(content) : [content];
  return items.map(nativePart).filter((part) => part !== undefined);
}

function nativePart(item: unknown): NativePart | undefined {
  return typeof item === "string" ? { text: item } : partSchema.parse(item);
}

/** Text or file; calls and responses are looked at by their names. */
export function textOrFile(part: NativePart): TextPart | FilePart | undefined {
  if (part.text !== undefined) return part.text === "" ? undefined : textPart(part.text);
  const { inlineData, fileData } = part;
  if (inlineData?.data !== undefined) {
    return { type: "file", mediaType: mediaType(inlineData.mimeType), data: inlineData.data };
  }
  if (fileData?.fileUri === undefined) return undefined;
  return { type: "file", mediaType: mediaType(fileData.mimeType), url: fileData.fileUri };
}

export function textAndFiles(parts: readonly NativePart[]): (TextPart | FilePart)[] {
  return parts.map(textOrFile).filter((part) => part !== undefined);
}

/** What the model wrote: its thoughts apart from what it said. */
export function modelParts(parts: readonly NativePart[]): Part[] {
  return parts.flatMap((part): Part[] => {
    if (part.thought === true) return [{ type: "reasoning", text: part.text ?? "" }];
    return textAndFiles([part]);
  });
}

const responseSchema = fields({ output: anything, error: anything });

/** What a tool answered, and whether that says that it failed. */
export interface Answer {
  readonly output: readonly OutputPart[];
  readonly failed: boolean;
}

/** `response` is `{output}` or `{error}`; tools of other servers may answer anything. */
export function answerOf(response: unknown): Answer {
  const known = responseSchema.parse(response);
  if (known?.error !== undefined) return { output: [textPart(asText(known.error))], failed: true };
  const output = known?.output ?? response;
  return { output: [textPart(output === undefined ? "" : asText(output))], failed: false };
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : toJson(value);
}

function textPart(content: string): TextPart {
  return { type: "text", text: content };
}

function mediaType(given: string | undefined): string {
  return given ?? "application/octet-stream";
}

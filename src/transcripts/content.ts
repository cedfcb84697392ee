import {
  type FilePart,
  type Message,
  type OutputPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  totalUsage,
} from "../core/message/message.ts";
import { type Fields, fieldsOf, isRecord, toJson } from "../core/text/json.ts";
import { fileAt } from "../dialects/files.ts";
import { text } from "./lenient.ts";
import type { ContextSample, RequestUsage } from "./transcript.ts";

export const UNKNOWN_TYPE = "application/octet-stream";

/** A text as no part when it is empty or absent, else as one. */
export function textParts(value: string | undefined): TextPart[] {
  return value === undefined || value === "" ? [] : [{ type: "text", text: value }];
}

/**
 * Content as OpenAI-like agents store it (a string, null, or a list of `text` and `image_url`
 * parts) as neutral parts. Empty texts and pieces of other kinds give nothing.
 */
export function contentParts(content: unknown): (TextPart | FilePart)[] {
  if (typeof content === "string") return textParts(content);
  if (!Array.isArray(content)) return [];
  return content.flatMap((piece: unknown): (TextPart | FilePart)[] => {
    if (typeof piece === "string") return textParts(piece);
    if (!isRecord(piece)) return [];
    if (typeof piece["text"] === "string") return textParts(piece["text"]);
    const image = piece["image_url"];
    const url = text(isRecord(image) ? image["url"] : image);
    return url === undefined ? [] : [fileAt(url)];
  });
}

/**
 * A block of Anthropic's that is no call, result or thinking: a text, a file, or an opaque part
 * that travels untouched under its dialect.
 */
export function blockParts(block: Fields): OutputPart[] {
  const { type: kind } = block;
  if (typeof kind !== "string") return [];
  if (kind === "text") return textParts(text(block["text"]));
  const source = { dialect: "anthropic", value: block };
  return [blockFile(block) ?? { type: "opaque", kind, source }];
}

export function blockFile({ type, title, source }: Fields): FilePart | undefined {
  const from = fieldsOf(source);
  const data = text(from["data"]);
  const url = data === undefined ? text(from["url"]) : undefined;
  if ((type !== "image" && type !== "document") || (data ?? url) === undefined) return undefined;
  const mediaType = text(from["media_type"]) ?? (type === "image" ? "image/*" : UNKNOWN_TYPE);
  return { type: "file", mediaType, filename: text(title), data, url };
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : toJson(value);
}

/** The exit code that the first group of a pattern finds; the pattern holds on to one fixed place. */
export function exitCodeIn(content: string, pattern: RegExp): number | undefined {
  const code = pattern.exec(content)?.[1];
  return code === undefined ? undefined : Number(code);
}

export function resultOf(
  { toolCallId, toolName }: Pick<ToolCallPart, "toolCallId" | "toolName">,
  answer: Omit<ToolResultPart, "type" | "toolCallId" | "toolName">,
): ToolResultPart {
  return { type: "tool-result", toolCallId, toolName, ...answer };
}

/** The messages that one entry of a file stands for; those that say nothing are left out. */
export function saying(
  about: Pick<Message, "id" | "time">,
  drafts: readonly Message[],
): readonly Message[] {
  return drafts.filter(({ parts }) => parts.length > 0).map((draft) => ({ ...draft, ...about }));
}

/** The newest value of a field that an entry has. */
export function newest<Entry, Name extends keyof Entry>(
  entries: readonly Entry[],
  name: Name,
): Entry[Name] | undefined {
  return entries.findLast((entry) => entry[name] !== undefined)?.[name];
}

/** Fill of the window: as an entry says, else by what its request took. */
export function timelineOf(
  entries: readonly Partial<ContextSample & RequestUsage>[],
): ContextSample[] {
  return entries.flatMap(({ time, usage, tokens = usage && totalUsage(usage) }) =>
    tokens === undefined ? [] : [{ time, tokens }],
  );
}

/** The word of entries on the requests that made them. */
export function requestsOf(entries: readonly Partial<RequestUsage>[]): RequestUsage[] {
  return entries.flatMap(({ time, model, usage, cost, requests }) =>
    usage === undefined ? [] : [{ time, model, usage, cost, requests }],
  );
}

/** The meaning of each value; `onOdd` is told the place of each that means nothing. */
export function decodeEach<Decoded>(
  values: readonly unknown[],
  decode: (value: unknown) => Decoded | undefined,
  onOdd: (at: number) => void,
): Decoded[] {
  return values.flatMap((value, at) => {
    const decoded = decode(value);
    if (decoded === undefined) onOdd(at);
    return decoded === undefined ? [] : [decoded];
  });
}

/** Widens the time of a session by that of one of its records. */
export function noteTime(
  session: { startedAt?: number; updatedAt?: number },
  time: number | undefined,
): void {
  if (time === undefined) return;
  session.startedAt = Math.min(session.startedAt ?? time, time);
  session.updatedAt = Math.max(session.updatedAt ?? time, time);
}

/** A message that keeps what it was read from, so that its agent can be given it back as it was. */
export function withSource<Content extends { readonly message?: Message }>(
  content: Content,
  dialect: string,
  value: unknown,
): Content {
  const { message } = content;
  if (message === undefined) return content;
  return { ...content, message: { ...message, source: { dialect, value, parts: message.parts } } };
}

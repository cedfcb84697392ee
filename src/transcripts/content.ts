import {
  type FilePart,
  type Message,
  type OutputPart,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  totalUsage,
  type Usage,
} from "../core/message/message.ts";
import { type Fields, fieldsOf, isRecord, toJson } from "../core/text/json.ts";
import { fileAt } from "../dialects/files.ts";
import { numberOf, type Reported, usageOf } from "../dialects/wire.ts";
import { text } from "./lenient.ts";
import type { ContextSample, RequestUsage, Warnings } from "./transcript.ts";

export const UNKNOWN_TYPE = "application/octet-stream";

/** A text as one part; what is empty or no text as none. */
export function textParts(value: unknown): TextPart[] {
  return typeof value === "string" && value !== "" ? [{ type: "text", text: value }] : [];
}

/** The same of what a model thought. */
export function reasoningParts(value: unknown): ReasoningPart[] {
  return typeof value === "string" && value !== "" ? [{ type: "reasoning", text: value }] : [];
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
  if (kind === "text") return textParts(block["text"]);
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

/** The meaning of each value; those without any are told. The last of a torn list is not whole. */
export function decodeEach<Decoded>(
  values: readonly unknown[],
  decode: (value: unknown) => Decoded | undefined,
  { warnings, isTorn = false }: { readonly warnings: Warnings; readonly isTorn?: boolean },
): Decoded[] {
  return (isTorn ? values.slice(0, -1) : values).flatMap((value, at) => {
    const decoded = decode(value);
    if (decoded === undefined) warnings.add(`Entry ${at + 1} has no known form and was left out.`);
    return decoded === undefined ? [] : [decoded];
  });
}

interface Span {
  startedAt?: number;
  updatedAt?: number;
}

/** Widens the time of a session by that of one of its records. */
export function noteTime(session: Span, time: number | undefined): void {
  if (time === undefined) return;
  session.startedAt = Math.min(session.startedAt ?? time, time);
  session.updatedAt = Math.max(session.updatedAt ?? time, time);
}

export function spanOf(entries: readonly { readonly time?: number }[]): Span {
  const span: Span = {};
  for (const { time } of entries) noteTime(span, time);
  return span;
}

/** The usage that an agent reports of a request, what it leaves out as 0; one of 0 tokens is none. */
export function reportedUsage({ noCache, ...reported }: Reported): Usage | undefined {
  const usage = usageOf({ ...reported, noCache: numberOf(noCache) });
  return usage !== undefined && totalUsage(usage) > 0 ? usage : undefined;
}

/** Records that name the one that they follow; those that name none follow the one before them. */
export function createTree<Node>(warnings: Warnings) {
  const nodes: { readonly node: Node; readonly parent: number }[] = [];
  const places = new Map<string, number>();
  return {
    add(node: Node, line: number, { id, parentId }: Readonly<Record<string, unknown>>): void {
      const known = places.get(text(parentId) ?? "");
      if (typeof parentId === "string" && known === undefined) warnings.missing("parent", line);
      if (typeof id === "string") places.set(id, nodes.length);
      nodes.push({ node, parent: parentId === null ? -1 : (known ?? nodes.length - 1) });
    },
    all: (): Node[] => nodes.map(({ node }) => node),
    /** From the root to the last record; what was abandoned on other branches is not on it. */
    lastBranch(): Node[] {
      const branch: Node[] = [];
      for (let at = nodes.at(-1); at !== undefined; at = nodes[at.parent]) branch.push(at.node);
      return branch.toReversed();
    },
  };
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

import { isRecord, toJson } from "../core/text/json.ts";
import { utf8Length, countLines } from "../core/text/utf8.ts";
import { isBinaryText } from "../core/truncate/binary.ts";
import { outputLimits, type OutputMeta } from "../core/truncate/limits.ts";
import { archivePiece, type TruncationOptions, archiveTruncated } from "./truncate-and-archive.ts";
import { truncateText } from "../core/truncate/truncate-output.ts";
import type { Limits, ToolLimits } from "../core/truncate/index.ts";

/**
 * T15 for whatever a tool returns: a text, JSON, a list of content parts, an MCP result, or an
 * output in the form of the AI SDK. Returns the value itself (not a promise) when there is nothing
 * to do; never changes it. Instances, bytes and streams are left alone.
 */
export function truncateValue(
  value: unknown,
  meta: OutputMeta,
  options: TruncationOptions,
): unknown {
  if (typeof value !== "string" && !isPlain(value)) return value;
  const facts = { toolKinds: options.toolKinds, ...meta };
  const cutting: Cutting = {
    ...outputLimits(facts, options.toolLimits),
    options: { ...options, toolName: meta.toolName ?? "" },
  };
  if (typeof value === "string" || isContent(value)) return truncateInner(value, cutting);
  if ("content" in value && isContent(value.content)) {
    return truncateMcp(value, value.content, cutting);
  }
  return isModelOutput(value) ? truncateModelOutput(value, cutting) : truncateJson(value, cutting);
}

function truncateInner(value: unknown, cutting: Cutting): unknown {
  if (typeof value === "string") return truncateString(value, cutting);
  if (isContent(value)) return truncateContent(value, cutting);
  return isPlain(value) ? truncateJson(value, cutting) : value;
}

/** Objects and lists that JSON can hold, and no instance of anything. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function truncateString(value: string, cutting: Cutting): string | Promise<string> {
  const { maxBytes, maxLines } = cutting.limits;
  const isSmall = value.length * 3 <= maxBytes && value.length <= maxLines;
  return isSmall && !isBinaryText(value) ? value : cutText(value, cutting.limits, cutting);
}

/** `{ content, structuredContent?, isError?, _meta? }`: everything but the texts stays. */
function truncateMcp(value: object, content: readonly ContentPart[], cutting: Cutting): unknown {
  const { structuredContent } = value as { readonly structuredContent?: unknown };
  const isKept = structuredContent !== undefined && isLarge(structuredContent, cutting);
  const cut = truncateContent(content, cutting);
  if (cut === content && !isKept) return value;
  return (async () => {
    if (isKept) await archivePiece(structuredContent, cutting.options.archive);
    const parts = await cut;
    return parts === content ? value : { ...value, content: parts };
  })();
}

/** A tool's output as the AI SDK's `toModelOutput` returns it. */
interface ModelOutput {
  readonly type: string;
  readonly value: unknown;
}

const MODEL_OUTPUT = /^(?:text|error-text|json|error-json|content)$/;

function isModelOutput(value: object): value is ModelOutput {
  return "type" in value && MODEL_OUTPUT.test(String(value.type)) && "value" in value;
}

function truncateModelOutput(output: ModelOutput, cutting: Cutting): unknown {
  const cut = truncateInner(output.value, cutting);
  if (cut === output.value) return output;
  return (async () => {
    const value = await cut;
    if (value === output.value) return output;
    // JSON whose structure was too large became a text.
    const type = typeof value === "string" ? output.type.replace("json", "text") : output.type;
    return { ...output, type, value };
  })();
}

/** A piece of a tool's result, in the words of MCP and of the SDKs: text, media, or structure. */
type ContentPart = Readonly<Record<string, unknown>> & { readonly type: string };

const TEXT_TYPE = /^(?:input_|output_)?text$/;
/** Fields with the bytes of media, or their address, in the words of MCP and of the SDKs. */
const MEDIA_FIELDS = ["data", "source", "image_url", "file_url", "file_data", "file_id", "url"];
const MEDIA_TYPES =
  /^(?:(?:input_)?(?:image|audio|video|file)(?:[-_](?:data|url|id|file-id))?|media|document)$/;

/** Lists of content parts, at least one of them text or media. */
function isContent(value: unknown): value is readonly ContentPart[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  const isPart = (part: unknown): part is ContentPart =>
    isRecord(part) && typeof part["type"] === "string";
  return value.every(isPart) && value.some((part) => textOf(part) !== undefined || isMedia(part));
}

/** A screenshot comes without any text. A list of files is no media: nothing of it is a file's bytes. */
function isMedia(part: ContentPart): boolean {
  if (part.type === "resource") return typeof part["resource"] === "object";
  return MEDIA_TYPES.test(part.type) && MEDIA_FIELDS.some((field) => field in part);
}

/** The text of a part: its own, or that of the resource that it embeds. */
function textOf(part: ContentPart): string | undefined {
  const holder = part.type === "resource" ? part["resource"] : part;
  const isText = part.type === "resource" || TEXT_TYPE.test(part.type);
  const text = isText && isRecord(holder) ? holder["text"] : undefined;
  return typeof text === "string" ? text : undefined;
}

function withText(part: ContentPart, text: string): ContentPart {
  if (part.type !== "resource") return { ...part, text };
  return { ...part, resource: { ...(part["resource"] as object), text } };
}

/**
 * Cuts the texts of a list of parts so that together they keep the limits; every other part stays
 * and is archived if it is large. The same list comes back when nothing had to be cut.
 */
function truncateContent(parts: readonly ContentPart[], cutting: Cutting): unknown {
  const texts = parts.map(textOf).filter((text) => text !== undefined);
  const large = parts.filter((part) => textOf(part) === undefined && isLarge(part, cutting));
  const isFitting = fitTogether(texts, cutting.limits);
  if (isFitting && large.length === 0) return parts;
  return (async () => {
    for (const part of large) await archivePiece(part, cutting.options.archive);
    if (isFitting) return parts;
    // Many texts become one, where the first of them stood.
    const cut =
      texts.length > MOST_TEXTS
        ? [await cutText(texts.join("\n"), cutting.limits, cutting)]
        : await cutTexts(texts, cutting.limits, cutting);
    let next = 0;
    return parts.flatMap((part): ContentPart[] => {
      const text = textOf(part);
      if (text === undefined) return [part];
      const own = cut[next++];
      if (own === undefined) return [];
      return [own === text ? part : withText(part, own)];
    });
  })();
}

/** Most pieces are large because of one text (base64), which is quickly seen. */
function isLarge(piece: unknown, { limits }: Cutting): boolean {
  return (jsonOf(piece)?.length ?? 0) > limits.maxBytes;
}

/** `undefined` for a cycle or a bigint: no provider takes it, and it is not for us to say so. */
function jsonOf(value: unknown): string | undefined {
  try {
    return toJson(value);
  } catch {
    return undefined;
  }
}

/** A text of a value that is worth cutting on its own; shorter ones are part of the structure. */
const LARGE_UNITS = 1_000;
/** With less room left for the large texts, the structure itself is what is too large. */
const LEAST_ROOM = 0.25;
/** Deeper texts are not looked for. */
const MOST_DEEP = 64;

/**
 * Cuts a JSON value: its large texts (`stdout`, `content`, …) where that is enough, so that the
 * value keeps its shape; else its indented JSON, and the result is a text. A value that fits, and
 * one that is no JSON, comes back as it is.
 */
function truncateJson(value: object, cutting: Cutting): unknown {
  const { limits } = cutting;
  const json = jsonOf(value);
  if (json === undefined) return value;
  const texts: string[] = [];
  const skeleton = withTexts(value, (text) => {
    texts.push(text);
    return "";
  });
  const anyBytes = { ...limits, maxBytes: Number.MAX_SAFE_INTEGER };
  if (utf8Length(json) <= limits.maxBytes && fitTogether(texts, anyBytes)) return value;
  const maxBytes = limits.maxBytes - utf8Length(toJson(skeleton));
  if (texts.length > MOST_TEXTS || maxBytes < limits.maxBytes * LEAST_ROOM) {
    return cutText(indented(value, json), limits, cutting);
  }
  return (async () => {
    const cut = await cutTexts(texts, { ...limits, maxBytes }, cutting);
    let next = 0;
    return withTexts(value, (text) => cut[next++] ?? text);
  })();
}

/** One field a line, so that the archived file can be searched by line. */
function indented(value: object, json: string): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return json;
  }
}

/** A value with other large texts; what has none is the same object. */
function withTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return value.length < LARGE_UNITS ? value : change(value);
  if (!isPlain(value) || depth > MOST_DEEP) return value;
  let isOther = false;
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => {
    const changed = withTexts(item, change, depth + 1);
    isOther ||= changed !== item;
    return [key, changed] as const;
  });
  if (!isOther) return value;
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

/** The limits of one value, for all its texts. */
interface Cutting extends ToolLimits {
  readonly options: TruncationOptions & { readonly toolName: string };
}

/** More texts than that are not cut one by one: a share for each would be too small to say anything. */
const MOST_TEXTS = 16;

/** A text within limits, with its notice if it was truncated; its original is archived then. */
async function cutText(text: string, limits: Limits, cutting: Cutting): Promise<string> {
  const truncation = truncateText(text, { limits, direction: cutting.direction });
  if (!truncation.isTruncated) return text;
  return (await archiveTruncated(text, truncation, cutting.options)).text;
}

/** Texts that keep limits together, each with its notice; at most {@link MOST_TEXTS}. */
async function cutTexts(
  texts: readonly string[],
  limits: Limits,
  cutting: Cutting,
): Promise<readonly string[]> {
  const shares = shareLimits(texts, limits);
  const cut: string[] = [];
  for (const [index, text] of texts.entries()) {
    cut.push(await cutText(text, shares[index] ?? limits, cutting));
  }
  return cut;
}

/** The texts keep the limits together, and none of them is binary. */
function fitTogether(texts: readonly string[], limits: Limits): boolean {
  let bytes = 0;
  let lines = 0;
  for (const text of texts) {
    bytes += sizeUpTo(text, limits.maxBytes);
    if (bytes > limits.maxBytes || isBinaryText(text)) return false;
    lines += countLines(text);
  }
  return lines <= limits.maxLines;
}

/**
 * The limits of one output shared out over its texts: small texts stay whole, and what they leave
 * is shared by the large ones, equally. Every text may have a line and four bytes at least.
 */
export function shareLimits(texts: readonly string[], limits: Limits): Limits[] {
  const sizes = texts.map((text) => sizeUpTo(text, limits.maxBytes));
  const bytes = share(sizes, limits.maxBytes);
  const lines = share(texts.map(countLines), limits.maxLines);
  return texts.map((_, index) => ({
    maxLines: Math.max(1, lines[index] ?? 1),
    maxBytes: Math.max(4, bytes[index] ?? 4),
  }));
}

/** Every unit is at least a byte, so that a huge text does not have to be measured. */
function sizeUpTo(text: string, most: number): number {
  return text.length > most ? text.length : utf8Length(text);
}

function share(sizes: readonly number[], total: number): number[] {
  const shares = sizes.map(() => 0);
  const ascending = [...sizes.entries()].sort((a, b) => a[1] - b[1]);
  let left = total;
  ascending.forEach(([index, size], rank) => {
    const own = Math.min(size, Math.floor(left / (ascending.length - rank)));
    shares[index] = own;
    left -= own;
  });
  return shares;
}

import { toJson } from "../core/text/index.ts";
import {
  isBinaryText,
  type Limits,
  type OutputMeta,
  outputLimits,
  truncateText,
} from "../core/truncate/index.ts";
import { archivePiece, archiveTruncated, type TruncationOptions } from "./truncate-and-archive.ts";
import { isContent, truncateContent } from "./truncate-content.ts";
import { isPlain, truncateJson } from "./truncate-json.ts";

/** What cuts the texts of one value. */
export interface ValueCutter {
  /** For the whole value. */
  readonly limits: Limits;
  /** A text within limits, with its notice if it was truncated; its original is archived then. */
  cut(text: string, limits: Limits): Promise<string>;
  isBinary(text: string): boolean;
  /** Whether a piece that is no text is larger than a whole output may be. */
  isLarge(piece: unknown): boolean;
  /** Archives such a piece. */
  keep(piece: unknown): Promise<void>;
}

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
  const cutter = createCutter(meta, options);
  if (typeof value === "string") return truncateString(value, cutter);
  if (isContent(value)) return truncateContent(value, cutter);
  if ("content" in value && isContent(value.content)) return truncateMcp(value, cutter);
  if (isModelOutput(value)) return truncateModelOutput(value, cutter);
  return truncateJson(value, cutter);
}

function createCutter(meta: OutputMeta, options: TruncationOptions): ValueCutter {
  const { limits, direction } = outputLimits(
    { toolKinds: options.toolKinds, ...meta },
    options.toolLimits,
  );
  const own = { ...options, toolName: meta.toolName ?? "" };
  return {
    limits,
    async cut(text, share) {
      const truncation = truncateText(text, { limits: share, direction });
      if (!truncation.isTruncated) return text;
      return (await archiveTruncated(text, truncation, own)).text;
    },
    isBinary: isBinaryText,
    isLarge: (piece) => hasMore(piece, limits.maxBytes),
    keep: (piece) => archivePiece(piece, options.archive),
  };
}

/** Most pieces are large because of one text (base64), which is quickly seen. */
function hasMore(piece: unknown, bytes: number): boolean {
  try {
    return toJson(piece).length > bytes;
  } catch {
    return false;
  }
}

function truncateString(value: string, cutter: ValueCutter): string | Promise<string> {
  const isSmall =
    value.length * 3 <= cutter.limits.maxBytes && value.length <= cutter.limits.maxLines;
  return isSmall && !cutter.isBinary(value) ? value : cutter.cut(value, cutter.limits);
}

/** `{ content, structuredContent?, isError?, _meta? }`: everything but the texts stays. */
function truncateMcp(value: object & { content?: unknown }, cutter: ValueCutter): unknown {
  const { structuredContent } = value as { structuredContent?: unknown };
  const isLarge = structuredContent !== undefined && cutter.isLarge(structuredContent);
  const { content } = value;
  const cut = isContent(content) ? truncateContent(content, cutter) : content;
  if (cut === content && !isLarge) return value;
  return (async () => {
    if (isLarge) await cutter.keep(structuredContent);
    const parts = await cut;
    return parts === content ? value : { ...value, content: parts };
  })();
}

/** A tool's output as the AI SDK's `toModelOutput` returns it. */
interface ModelOutput {
  readonly type: "text" | "error-text" | "json" | "error-json" | "content";
  readonly value: unknown;
}

const MODEL_OUTPUT_TYPES: ReadonlySet<unknown> = new Set([
  "text",
  "error-text",
  "json",
  "error-json",
  "content",
]);

function isModelOutput(value: object): value is ModelOutput {
  return "type" in value && MODEL_OUTPUT_TYPES.has(value.type) && "value" in value;
}

function truncateModelOutput(output: ModelOutput, cutter: ValueCutter): unknown {
  const cut = cutModelValue(output.value, cutter);
  if (cut === output.value) return output;
  return (async () => {
    const value = await cut;
    if (value === output.value) return output;
    // JSON whose structure was too large became a text.
    const isText = typeof value === "string" && output.type.endsWith("json");
    const type = isText ? (output.type === "json" ? "text" : "error-text") : output.type;
    return { ...output, type, value };
  })();
}

function cutModelValue(value: unknown, cutter: ValueCutter): unknown {
  if (typeof value === "string") return truncateString(value, cutter);
  if (isContent(value)) return truncateContent(value, cutter);
  return isPlain(value) ? truncateJson(value, cutter) : value;
}

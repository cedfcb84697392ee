import type { Limits } from "../core/truncate/index.ts";
import { fitTogether, shareLimits } from "./share-limits.ts";
import type { ValueCutter } from "./truncate-value.ts";

/** A piece of a tool's result, in the words of MCP and of the SDKs: text, media, or structure. */
type ContentPart = Readonly<Record<string, unknown>> & { readonly type: string };

/** More texts than that are joined: a share for each would be too small to say anything. */
const MOST_TEXTS = 16;

const TEXT_TYPES: ReadonlySet<string> = new Set(["text", "input_text", "output_text"]);

/** What holds the bytes of media, or says where they are, in the words of MCP and of the SDKs. */
const MEDIA_FIELDS = ["data", "source", "image_url", "file_url", "file_data", "file_id", "url"];
const MEDIA_TYPES =
  /^(?:(?:input_)?(?:image|audio|video|file)(?:[-_](?:data|url|id|file-id))?|media|document)$/;

/** Whether a value is a list of content parts, at least one of them text or media. */
export function isContent(value: unknown): value is readonly ContentPart[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  return (
    value.every(isContentPart) && value.some((part) => textOf(part) !== undefined || isMedia(part))
  );
}

/** A screenshot comes without any text. A list of files is no media: nothing of it is a file's bytes. */
function isMedia(part: ContentPart): boolean {
  if (part.type === "resource") return typeof part["resource"] === "object";
  return MEDIA_TYPES.test(part.type) && MEDIA_FIELDS.some((field) => field in part);
}

function isContentPart(value: unknown): value is ContentPart {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
  );
}

/** The text of a part: its own, or that of the resource that it embeds. */
function textOf(part: ContentPart): string | undefined {
  if (TEXT_TYPES.has(part.type)) return typeof part["text"] === "string" ? part["text"] : undefined;
  const resource = part.type === "resource" ? part["resource"] : undefined;
  if (typeof resource !== "object" || resource === null || !("text" in resource)) return undefined;
  return typeof resource.text === "string" ? resource.text : undefined;
}

function withText(part: ContentPart, text: string): ContentPart {
  if (part.type !== "resource") return { ...part, text };
  return { ...part, resource: { ...(part["resource"] as object), text } };
}

/**
 * Cuts the texts of a list of parts so that together they keep the limits; every other part stays
 * and is archived if it is large. The same list comes back when nothing had to be cut.
 */
export function truncateContent(
  parts: readonly ContentPart[],
  cutter: ValueCutter,
): readonly ContentPart[] | Promise<readonly ContentPart[]> {
  const texts = parts.map(textOf).filter((text) => text !== undefined);
  const large = parts.filter((part) => textOf(part) === undefined && cutter.isLarge(part));
  const isFitting =
    fitTogether(texts, cutter.limits) && texts.every((text) => !cutter.isBinary(text));
  if (isFitting && large.length === 0) return parts;
  return (async () => {
    for (const part of large) await cutter.keep(part);
    if (isFitting) return parts;
    return texts.length > MOST_TEXTS
      ? cutJoined(parts, texts, cutter)
      : cutEach(parts, texts, cutter);
  })();
}

async function cutEach(
  parts: readonly ContentPart[],
  texts: readonly string[],
  cutter: ValueCutter,
): Promise<readonly ContentPart[]> {
  const shares = shareLimits(texts, cutter.limits);
  const cut: ContentPart[] = [];
  let index = 0;
  for (const part of parts) {
    const text = textOf(part);
    if (text === undefined) {
      cut.push(part);
      continue;
    }
    const own = await cutter.cut(text, shares[index++] as Limits);
    cut.push(own === text ? part : withText(part, own));
  }
  return cut;
}

/** Many texts become one, where the first of them stood. */
async function cutJoined(
  parts: readonly ContentPart[],
  texts: readonly string[],
  cutter: ValueCutter,
): Promise<readonly ContentPart[]> {
  const joined = await cutter.cut(texts.join("\n"), cutter.limits);
  let isFirst = true;
  return parts.flatMap((part): ContentPart[] => {
    if (textOf(part) === undefined) return [part];
    if (!isFirst) return [];
    isFirst = false;
    return [withText(part, joined)];
  });
}

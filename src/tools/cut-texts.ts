import { countLines, utf8Length } from "../core/text/utf8.ts";
import { isBinaryText } from "../core/truncate/binary.ts";
import { truncateText } from "../core/truncate/truncate-output.ts";
import { archiveTruncated, type TruncationOptions } from "./truncate-and-archive.ts";
import type { Limits, ToolLimits } from "../core/truncate/index.ts";

/** How the texts of one value are cut: the limits are those of the whole value. */
export interface Cutting extends ToolLimits {
  readonly options: TruncationOptions & { readonly toolName: string };
}

/** More texts than that are not cut one by one: a share for each would be too small to say anything. */
export const MOST_TEXTS = 16;

/** A text within limits, with its notice if it was truncated; its original is archived then. */
export async function cutText(text: string, limits: Limits, cutting: Cutting): Promise<string> {
  const truncation = truncateText(text, { limits, direction: cutting.direction });
  if (!truncation.isTruncated) return text;
  return (await archiveTruncated(text, truncation, cutting.options)).text;
}

/** Texts that keep limits together, each with its notice; at most {@link MOST_TEXTS}. */
export async function cutTexts(
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

/** Whether texts keep the limits together, and none of them is binary. */
export function fitTogether(texts: readonly string[], limits: Limits): boolean {
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

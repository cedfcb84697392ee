import { countLines, utf8Length } from "../core/text/index.ts";
import { type Limits } from "../core/truncate/index.ts";

/**
 * The limits of one output shared out over its texts: small texts stay whole, and what they leave
 * is shared by the large ones, equally. Every text may have a line and four bytes at least.
 */
export function shareLimits(texts: readonly string[], limits: Limits): Limits[] {
  const bytes = share(
    texts.map((text) => sizeUpTo(text, limits.maxBytes)),
    limits.maxBytes,
  );
  const lines = share(texts.map(countLines), limits.maxLines);
  return texts.map((_, index) => ({
    maxLines: Math.max(1, lines[index] ?? 1),
    maxBytes: Math.max(4, bytes[index] ?? 4),
  }));
}

/** Whether texts keep the limits together. */
export function fitTogether(texts: readonly string[], limits: Limits): boolean {
  let bytes = 0;
  let lines = 0;
  for (const text of texts) {
    bytes += sizeUpTo(text, limits.maxBytes);
    if (bytes > limits.maxBytes) return false;
    lines += countLines(text);
  }
  return lines <= limits.maxLines;
}

/** Every unit is at least a byte, so that a huge text does not have to be measured. */
function sizeUpTo(text: string, most: number): number {
  return text.length > most ? text.length : utf8Length(text);
}

function share(sizes: readonly number[], total: number): number[] {
  const shares = sizes.map(() => 0);
  const ascending = sizes
    .map((_, index) => index)
    .sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0));
  let left = total;
  ascending.forEach((index, rank) => {
    const own = Math.min(sizes[index] ?? 0, Math.floor(left / (ascending.length - rank)));
    shares[index] = own;
    left -= own;
  });
  return shares;
}

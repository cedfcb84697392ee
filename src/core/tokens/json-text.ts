/** A string longer than this, made of base64 characters only, is a blob and no prose. */
const BLOB_UNITS = 1_024;
const BLOB = /^[A-Za-z0-9+/_\-\r\n]+={0,2}$/;

/**
 * A value as the JSON a provider would send, near enough to count it; "" for `undefined`. Never
 * throws on what `JSON.stringify` refuses: cycles, bigints and objects nested ten thousand deep.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return walkedText(value, false);
  }
}

/** Like {@link jsonText}, but of every blob (a long base64 string) only the first 1,024 units. */
export function jsonTextWithoutBlobs(value: unknown): string {
  try {
    return JSON.stringify(value, (_key, item: unknown) => clipBlob(item)) ?? "";
  } catch {
    return walkedText(value, true);
  }
}

function clipBlob(item: unknown): unknown {
  if (typeof item !== "string" || item.length <= BLOB_UNITS || !BLOB.test(item)) return item;
  return item.slice(0, BLOB_UNITS);
}

/** The same without recursion: each object is written once, so that a cycle ends. */
function walkedText(root: unknown, clipBlobs: boolean): string {
  const pieces: string[] = [];
  const seen = new Set<object>();
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const item = stack.pop();
    if (typeof item !== "object" || item === null) {
      pieces.push(scalarText(clipBlobs ? clipBlob(item) : item));
    } else if (seen.has(item)) {
      pieces.push("null");
    } else {
      seen.add(item);
      pieces.push(Array.isArray(item) ? "[]" : "{}");
      pushChildren(stack, item);
    }
  }
  return pieces.join(",");
}

function pushChildren(stack: unknown[], item: object): void {
  if (Array.isArray(item)) {
    for (let i = item.length - 1; i >= 0; i--) stack.push(item[i]);
    return;
  }
  for (const [key, child] of Object.entries(item).toReversed()) stack.push(child, key);
}

function scalarText(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "function" || typeof value === "symbol" ? "null" : String(value);
}

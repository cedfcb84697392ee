/** JSON of a request, as far as it is known: an object. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of an array; nothing if it is none. */
export function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter((item: unknown) => isObject(item)) : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** JSON with sorted keys, so that equal values give equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (!isObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Parsed, or the text itself where it is no JSON. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}

/** A text in pieces as a stream brings it: a few words each, no code point split. */
export function pieces(whole: string): string[] {
  const size = Math.max(24, Math.ceil(whole.length / 64));
  const found: string[] = [];
  for (let start = 0; start < whole.length;) {
    let end = Math.min(whole.length, start + size);
    const last = whole.charCodeAt(end - 1);
    if (end < whole.length && last >= 0xd800 && last <= 0xdbff) end += 1;
    found.push(whole.slice(start, end));
    start = end;
  }
  return found;
}

/** The words of some lines, for long lists of names. */
export function words(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(" ").split(" "));
}

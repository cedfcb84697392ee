import { ContextError } from "../error.ts";

/** The fields of an object of unknown content. */
export type Fields = Readonly<Record<string, unknown>>;

/** An object with fields: neither `null` nor a list. */
export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of a value; none where it is no object. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/**
 * A JSON value as its text, exactly as `JSON.stringify` writes it, however deep it is nested
 * (`JSON.stringify` itself gives up after some thousand levels). Throws `ContextError` code
 * `invalid-message` for a value that is no JSON: a cycle or a bigint.
 */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    // The engine gives up before it has seen a cycle that is longer than its stack.
    if (error instanceof RangeError) return deepJson(value);
    throw noJson(error);
  }
}

function noJson(cause?: unknown): ContextError {
  return new ContextError(
    "invalid-message",
    "A value in the conversation cannot be written as JSON (it refers to itself or holds a bigint); remove it.",
    { cause },
  );
}

/** Texts as one. Throws `limit-exceeded` where that is more than a string can hold. */
export function joined(texts: readonly string[], between = ""): string {
  try {
    return texts.join(between);
  } catch (cause) {
    throw new ContextError(
      "limit-exceeded",
      "A single value of the conversation holds more text than a string can (some 500 MB). Truncate outputs on arrival, with context.truncate or context.truncation.",
      { cause },
    );
  }
}

/** A value that is still to be written, or text that closes a value or separates two. */
type Pending = { readonly value: unknown } | { readonly text: string; readonly closes?: object };

function deepJson(root: unknown): string {
  const pieces: string[] = [];
  const stack: Pending[] = [{ value: root }];
  const open = new Set<object>();
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if ("text" in item) {
      pieces.push(item.text);
      if (item.closes !== undefined) open.delete(item.closes);
    } else if (typeof item.value !== "object" || item.value === null) {
      if (typeof item.value === "bigint") throw noJson();
      pieces.push(JSON.stringify(item.value) ?? "null");
    } else {
      if (open.has(item.value)) throw noJson();
      open.add(item.value);
      const inner = Array.isArray(item.value) ? arrayItems(item.value) : objectItems(item.value);
      for (let index = inner.length - 1; index >= 0; index--) stack.push(inner[index] as Pending);
    }
  }
  return joined(pieces);
}

function arrayItems(values: readonly unknown[]): Pending[] {
  const inner = values.flatMap((value, index): Pending[] =>
    index === 0 ? [{ value }] : [{ text: "," }, { value }],
  );
  return [{ text: "[" }, ...inner, { text: "]", closes: values }];
}

function objectItems(record: object): Pending[] {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  const inner = entries.flatMap(([key, value], index): Pending[] => [
    { text: `${index === 0 ? "" : ","}${JSON.stringify(key)}:` },
    { value },
  ]);
  return [{ text: "{" }, ...inner, { text: "}", closes: record }];
}

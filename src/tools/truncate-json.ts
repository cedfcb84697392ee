import { toJson, utf8Length } from "../core/text/index.ts";
import { type Limits } from "../core/truncate/index.ts";
import { fitTogether, shareLimits } from "./share-limits.ts";
import type { ValueCutter } from "./truncate-value.ts";

/** A text of a value that is worth cutting on its own; shorter ones are part of the structure. */
const LARGE_UNITS = 1_000;
const MOST_TEXTS = 16;
/** With less room left for the large texts, the structure itself is what is too large. */
const LEAST_ROOM = 0.25;
/** Deeper texts are not looked for. */
const MOST_DEEP = 64;

/** Whether a value is an object or a list that JSON can hold, and no instance of anything. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Cuts a JSON value: its large texts (`stdout`, `content`, …) where that is enough, so that the
 * value keeps its shape; else its indented JSON, and the result is a text. A value that fits, and
 * one that is no JSON, comes back as it is.
 */
export function truncateJson(value: object, cutter: ValueCutter): unknown {
  const json = jsonOf(value);
  if (json === undefined) return value;
  const texts = largeTexts(value);
  const isFitting =
    utf8Length(json) <= cutter.limits.maxBytes &&
    fitTogether(texts, withoutBytes(cutter)) &&
    !texts.some((text) => cutter.isBinary(text));
  if (isFitting) return value;
  const skeleton = toJson(withTexts(value, () => ""));
  const room = cutter.limits.maxBytes - utf8Length(skeleton);
  const isEnough = texts.length <= MOST_TEXTS && room >= cutter.limits.maxBytes * LEAST_ROOM;
  if (!isEnough) return cutter.cut(indented(value, json), cutter.limits);
  return cutTexts(value, texts, { cutter, room });
}

function withoutBytes({ limits }: ValueCutter): Limits {
  return { ...limits, maxBytes: Number.MAX_SAFE_INTEGER };
}

function jsonOf(value: object): string | undefined {
  try {
    return toJson(value);
  } catch {
    // A cycle or a bigint: no provider takes it, and it is not for us to say so.
    return undefined;
  }
}

/** One field a line, so that the archived file can be searched by line. */
function indented(value: object, json: string): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return json;
  }
}

async function cutTexts(
  value: object,
  texts: readonly string[],
  { cutter, room }: { cutter: ValueCutter; room: number },
): Promise<unknown> {
  const shares = shareLimits(texts, { ...cutter.limits, maxBytes: room });
  const cut: string[] = [];
  for (const [index, text] of texts.entries()) {
    cut.push(await cutter.cut(text, shares[index] as Limits));
  }
  let next = 0;
  return withTexts(value, (text) => cut[next++] ?? text);
}

function largeTexts(value: object): string[] {
  const texts: string[] = [];
  withTexts(value, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** A value with other large texts; what has none is the same object. */
function withTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return value.length < LARGE_UNITS ? value : change(value);
  if (!isPlain(value) || depth > MOST_DEEP) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => withTexts(item, change, depth + 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => {
    const changed = withTexts(item, change, depth + 1);
    return { key, changed, isOther: changed !== item };
  });
  if (!entries.some(({ isOther }) => isOther)) return value;
  return Object.fromEntries(entries.map(({ key, changed }) => [key, changed]));
}

import { ContextError } from "../core/error.ts";
import { fieldsOf, isRecord, toJson } from "../core/text/json.ts";
import { describeValue } from "../core/rules.ts";
import type { Usage } from "../core/message/index.ts";

export { describeValue };

/** A JSON object of unknown content. */
export type WireObject = Readonly<Record<string, unknown>>;

export const isWireObject: (value: unknown) => value is WireObject = isRecord;

/** The objects of a list; none where it is no list. */
export function objectsIn(list: unknown): readonly WireObject[] {
  return Array.isArray(list) ? list.filter(isWireObject) : [];
}

/**
 * A block of a content array: any object with a type, whatever else is in it. (An SDK's interface
 * fits the first form, an object literal the second.)
 */
export type WireBlock =
  | { readonly type: string }
  | { readonly type: string; readonly [field: string]: unknown };

export type Block = WireBlock & WireObject;

export function isWireBlock(value: unknown): value is Block {
  return isWireObject(value) && typeof value["type"] === "string";
}

/** A decoder's place, for its error messages. */
export interface WirePlace {
  readonly dialect: string;
  /** Index of the native message; absent for the conversation itself. */
  readonly index?: number;
}

/** The error for input that is not of the dialect; `problem` goes on from "Message 3 …". */
export function invalidWire(place: WirePlace, problem: string): ContextError {
  const subject = place.index === undefined ? "The conversation" : `Message ${place.index}`;
  return new ContextError(
    "invalid-message",
    `${subject} ${problem}; pass it in the shape of the ${place.dialect} format.`,
    { details: { ...place, problem } },
  );
}

/** The field as a string, or an error that names it. */
export function requiredString(value: WireObject, field: string, place: WirePlace): string {
  const found = value[field];
  if (typeof found === "string") return found;
  throw invalidWire(place, `needs a string in "${field}" and has ${describeValue(found)}`);
}

/** Arguments as a model wrote them: parsed, or the text itself when it is no valid JSON. */
export function parseInput(text: unknown): unknown {
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Arguments as they were written, as long as they say the same; else the input as text. */
export function argumentsText(input: unknown, before?: unknown): string {
  if (typeof before === "string") {
    const parsed = parseInput(before);
    if (parsed === input || toJson(parsed) === toJson(input)) return before;
  }
  return typeof input === "string" ? input : toJson(input ?? {});
}

/**
 * A space before the object, which no model writes and JSON allows: it says that the one field is
 * not the model's, but holds a free text for a format whose arguments are an object.
 */
const FREE_TEXT = ' {"input":';

/** Free text as arguments in JSON; {@link freeTextIn} gives it back as it was. */
export function freeTextArguments(text: string): string {
  return `${FREE_TEXT}${JSON.stringify(text)}}`;
}

/** Arguments as {@link parseInput} has them, or the free text that was written as such. */
export function freeTextIn(text: unknown): unknown {
  const input = parseInput(text);
  const isFree = typeof text === "string" && text.startsWith(FREE_TEXT) && isWireObject(input);
  return isFree && typeof input["input"] === "string" ? input["input"] : input;
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function textIn(value: WireObject, field: string): string | undefined {
  const found = value[field];
  return typeof found === "string" ? found : undefined;
}

export function numberIn(value: WireObject, field: string): number | undefined {
  const found = value[field];
  return typeof found === "number" ? found : undefined;
}

export function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** The usage that Anthropic's Messages API reports: the cache counts beside the input. */
export function anthropicUsage(reported: unknown): Usage | undefined {
  const usage = fieldsOf(reported);
  return usageOf({
    noCache: usage["input_tokens"],
    cacheRead: usage["cache_read_input_tokens"],
    cacheWrite: usage["cache_creation_input_tokens"],
    output: usage["output_tokens"],
  });
}

/** An SDK's report on one request; `total` is all input, `noCache` the part outside of the cache. */
export interface Reported {
  readonly total?: unknown;
  readonly noCache?: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
  readonly output?: unknown;
}

/** The usage of one request, the cache apart; `undefined` where the input is not known. */
export function usageOf({ total, noCache, output, ...cache }: Reported): Usage | undefined {
  if (typeof total !== "number" && typeof noCache !== "number") return undefined;
  const cacheRead = numberOf(cache.cacheRead);
  const cacheWrite = numberOf(cache.cacheWrite);
  const input =
    typeof total === "number" ? Math.max(0, total - cacheRead - cacheWrite) : numberOf(noCache);
  return {
    input,
    output: numberOf(output),
    cacheRead: cacheRead || undefined,
    cacheWrite: cacheWrite || undefined,
  };
}

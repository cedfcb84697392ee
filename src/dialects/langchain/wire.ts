import type { Message, Usage } from "../../core/message/index.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { readMessageMarks, withMessageMarks } from "../marks.ts";
import { isWireObject, usageOf, type WireObject } from "../wire.ts";

/**
 * A message of LangChain: an instance of `HumanMessage`, `AIMessage`, `ToolMessage`,
 * `SystemMessage` or their chunks, or a plain object in their shape. Structural, so that no version
 * of `@langchain/core` is needed; whatever is not named here travels untouched.
 */
export interface LangChainMessage {
  /** A text or content blocks. */
  readonly content: unknown;
  /** `human`, `ai`, `tool` or `system`; before version 1 only `_getType()` says it. */
  readonly type?: string;
  readonly id?: string;
  readonly name?: string;
  readonly additional_kwargs?: object;
  readonly response_metadata?: object;
}

/** Types that have a place in a request. */
export type LangChainType = "human" | "ai" | "tool" | "system";

/** An entry of `tool_calls`. */
export interface LangChainToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly id?: string;
  readonly type?: "tool_call";
}

/** The content blocks that this dialect writes; every version of every integration reads them. */
export type LangChainBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

export const LANGCHAIN = "langchain";
/** The mark of a summary by LangChain's own middleware, in `additional_kwargs`. */
export const SUMMARY_SOURCE = { lc_source: "summarization" } as const;

const TYPES: Readonly<Record<string, LangChainType>> = {
  human: "human",
  user: "human",
  ai: "ai",
  assistant: "ai",
  tool: "tool",
  system: "system",
  developer: "system",
};

/** The type of a message; `name` is its own word for it, for types that no request has. */
export function typeOf(native: WireObject): {
  readonly type: LangChainType | undefined;
  readonly name: string;
} {
  const named = namedType(native);
  // A `ChatMessage` has its role beside its type.
  const name = named === "generic" ? native["role"] : (named ?? native["role"]);
  return { type: TYPES[String(name)], name: String(name) };
}

function namedType(native: WireObject): unknown {
  const { type, _getType: ask } = native;
  if (typeof type === "string") return type;
  return typeof ask === "function" ? Reflect.apply(ask, native, []) : undefined;
}

/** A copy of the same class with other fields; the very same object when nothing differs. */
export function withMessageFields<Native extends LangChainMessage>(
  native: Native,
  fields: WireObject,
): Native {
  const before = native as unknown as WireObject;
  const changed = Object.entries(fields).filter(([name, value]) => before[name] !== value);
  if (changed.length === 0) return native;
  const values = Object.fromEntries(changed);
  const prototype = Object.getPrototypeOf(native) as object;
  const copy = Object.create(prototype, Object.getOwnPropertyDescriptors(native)) as object;
  // A message is stored and traced by what its constructor was given.
  const { lc_kwargs } = before;
  const kwargs = isWireObject(lc_kwargs) ? { lc_kwargs: { ...lc_kwargs, ...values } } : {};
  return Object.assign(copy, values, kwargs) as object as Native;
}

type MessageClass = new (fields: WireObject) => LangChainMessage;

export type MakeMessage = (type: LangChainType, fields: WireObject) => LangChainMessage;

/** New messages are of the classes of their conversation, else plain objects: LangChain takes both. */
export function createMake(natives: readonly unknown[]): MakeMessage {
  const classes = new Map<LangChainType, MessageClass>();
  for (const native of natives) {
    const { type } = typeOf(fieldsOf(native));
    const made = (native as object).constructor as unknown;
    if (type === undefined || made === Object || typeof made !== "function") continue;
    // Chunks are for what is still coming.
    const isChunk = typeof fieldsOf(native)["concat"] === "function";
    if (!classes.has(type) || !isChunk) classes.set(type, made as MessageClass);
  }
  return (type, fields) => {
    const known = classes.get(type);
    if (known !== undefined) return new known(fields);
    return { type, ...fields } as unknown as LangChainMessage;
  };
}

export function readMarks(native: WireObject): Pick<Message, "kind" | "metadata"> {
  const { kind, metadata } = readMessageMarks(native["additional_kwargs"]);
  // LangChain's own summaries, too.
  const { lc_source } = fieldsOf(native["additional_kwargs"]);
  const isForeign = lc_source === SUMMARY_SOURCE.lc_source;
  return { kind: kind ?? (isForeign ? "summary" : undefined), metadata };
}

/** `additional_kwargs` with the marks of a message; those that were there if it has none. */
export function messageKwargs(message: Message, before: unknown): unknown {
  return withMessageMarks(message, before, message.kind === "summary" ? SUMMARY_SOURCE : {});
}

export function madeFields(message: Message): WireObject {
  return { additional_kwargs: messageKwargs(message, undefined), id: message.id };
}

/** The usage that an `AIMessage` reports, the cache apart; `undefined` without a report. */
export function langchainUsage(message: unknown): Usage | undefined {
  const reported = fieldsOf(fieldsOf(message)["usage_metadata"]);
  const { input_tokens: total, output_tokens: output, input_token_details: details } = reported;
  const { cache_read: cacheRead, cache_creation: cacheWrite } = fieldsOf(details);
  return usageOf({ total, cacheRead, cacheWrite, output });
}

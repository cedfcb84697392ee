import type { Message, MessageKind, ToolResultPart, Usage } from "../../core/message/index.ts";
import { isWireObject, type WireObject } from "../wire.ts";
import { type LangChainMessage, type LangChainType, OWN_KWARGS, SUMMARY_SOURCE } from "./wire.ts";

const TYPES: Readonly<Record<string, LangChainType>> = {
  human: "human",
  user: "human",
  ai: "ai",
  assistant: "ai",
  tool: "tool",
  system: "system",
  developer: "system",
};

/** What a message is; `name` says what it calls itself where that has no place in a request. */
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

/**
 * A copy of a message with other fields: of the same class, with all its own fields. The very same
 * object when nothing differs. `undefined` removes a field's value.
 */
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

/** Makes new messages. */
export type MakeMessage = (type: LangChainType, fields: WireObject) => LangChainMessage;

/**
 * New messages are of the classes that the others of their conversation have. For a type that it
 * does not have, a plain object says the same: LangChain takes both wherever it takes messages.
 */
export function createMake(natives: readonly unknown[]): MakeMessage {
  const classes = new Map<LangChainType, MessageClass>();
  for (const native of natives) {
    const { type } = isWireObject(native) ? typeOf(native) : { type: undefined };
    const made = (native as object).constructor as unknown;
    if (type === undefined || made === Object || typeof made !== "function") continue;
    // Chunks are for what is still coming.
    if (!classes.has(type) || !isChunk(native)) classes.set(type, made as MessageClass);
  }
  return (type, fields) => {
    const known = classes.get(type);
    if (known !== undefined) return new known(fields);
    return { type, ...fields } as unknown as LangChainMessage;
  };
}

function isChunk(native: unknown): boolean {
  return typeof (native as { readonly concat?: unknown }).concat === "function";
}

const KINDS: readonly MessageKind[] = ["injected", "summary", "continuation"];

/** What a message carries under `additional_kwargs.longhaul`; a summary of LangChain's is one too. */
export function readMessageMarks(native: WireObject): Pick<Message, "kind" | "metadata"> {
  const own = ownMarks(native);
  const marked = KINDS.find((name) => name === own?.["kind"]);
  const kind = marked ?? (isForeignSummary(native) ? "summary" : undefined);
  const metadata = own?.["metadata"];
  return { ...(kind && { kind }), ...(isWireObject(metadata) && { metadata }) };
}

export function readResultMarks(native: WireObject): Pick<ToolResultPart, "time" | "original"> {
  const own = ownMarks(native);
  const compacted = own?.["compacted"];
  const original = own?.["original"];
  return {
    ...(typeof compacted === "number" && { time: { compacted } }),
    ...(typeof original === "string" && { original }),
  };
}

/** `additional_kwargs` with the marks of a message; those that were there if it has none. */
export function messageKwargs({ kind, metadata }: Message, before: unknown): unknown {
  return withMarks(before, { kind, metadata }, kind === "summary" ? SUMMARY_SOURCE : {});
}

/** What a new message says beside its content. */
export function madeFields(message: Message): WireObject {
  const additional_kwargs = messageKwargs(message, undefined);
  return {
    ...(additional_kwargs !== undefined && { additional_kwargs }),
    ...(message.id !== undefined && { id: message.id }),
  };
}

/** `additional_kwargs` with the marks of a tool result. */
export function resultKwargs(part: ToolResultPart, before: unknown): unknown {
  return withMarks(before, { compacted: part.time?.compacted, original: part.original }, {});
}

function withMarks(before: unknown, marks: WireObject, beside: WireObject): unknown {
  const set = Object.entries(marks).filter(([, value]) => value !== undefined);
  const others = isWireObject(before) ? before : {};
  const old = isWireObject(others[OWN_KWARGS]) ? others[OWN_KWARGS] : {};
  if (set.every(([name, value]) => old[name] === value)) return before;
  return { ...others, ...beside, [OWN_KWARGS]: { ...old, ...Object.fromEntries(set) } };
}

function ownMarks({ additional_kwargs: kwargs }: WireObject): WireObject | undefined {
  const own = isWireObject(kwargs) ? kwargs[OWN_KWARGS] : undefined;
  return isWireObject(own) ? own : undefined;
}

function isForeignSummary({ additional_kwargs: kwargs }: WireObject): boolean {
  return isWireObject(kwargs) && kwargs["lc_source"] === SUMMARY_SOURCE.lc_source;
}

/**
 * What the provider reported for the request that an `AIMessage` answers (`usage_metadata`), the
 * cache apart; `undefined` where it reported nothing.
 */
export function langchainUsage(message: unknown): Usage | undefined {
  const reported = isWireObject(message) ? message["usage_metadata"] : undefined;
  if (!isWireObject(reported) || typeof reported["input_tokens"] !== "number") return undefined;
  const details = reported["input_token_details"];
  const { cache_read, cache_creation } = isWireObject(details) ? details : {};
  const cacheRead = numberOf(cache_read);
  const cacheWrite = numberOf(cache_creation);
  return {
    // LangChain's input is all of it.
    input: Math.max(0, reported["input_tokens"] - cacheRead - cacheWrite),
    output: numberOf(reported["output_tokens"]),
    ...(cacheRead > 0 && { cacheRead }),
    ...(cacheWrite > 0 && { cacheWrite }),
  };
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

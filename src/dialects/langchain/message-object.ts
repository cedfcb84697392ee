import { isWireObject, type WireObject } from "../wire-value.ts";
import type { LangChainMessage, LangChainType } from "./wire.ts";

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

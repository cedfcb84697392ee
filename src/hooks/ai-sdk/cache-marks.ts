import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import type { Marks } from "../stale-marks.ts";

/** What providers call a cache breakpoint among their options of a message or a part. */
const NAMES = ["cacheControl", "cache_control", "cachePoint"] as const;

/** Cache breakpoints of the AI SDK. */
export const cacheMarks: Marks<AiSdkMessage> = {
  count: (message) => [message, ...partsOf(message)].filter(isMarked).length,
  remove(message) {
    const { content } = message;
    if (typeof content === "string") return unmarked(message);
    return { ...unmarked(message), content: content.map(unmarked) };
  },
};

function partsOf({ content }: AiSdkMessage): readonly object[] {
  return typeof content === "string" ? [] : content;
}

function isMarked(value: object): boolean {
  const { providerOptions } = value as { readonly providerOptions?: unknown };
  if (!isWireObject(providerOptions)) return false;
  return Object.values(providerOptions).some(
    (options) => isWireObject(options) && NAMES.some((name) => isWireObject(options[name])),
  );
}

function unmarked<Value extends object>(value: Value): Value {
  if (!isMarked(value)) return value;
  const { providerOptions } = value as { readonly providerOptions?: WireObject };
  const kept = Object.entries(providerOptions ?? {}).map(([provider, options]) => {
    const own = Object.entries(isWireObject(options) ? options : {});
    const names: readonly string[] = NAMES;
    return [provider, Object.fromEntries(own.filter(([name]) => !names.includes(name)))];
  });
  return { ...value, providerOptions: Object.fromEntries(kept) as WireObject };
}

import type { Message, MessageKind, ToolResultPart } from "../core/message/index.ts";
import { fieldsOf } from "../core/text/json.ts";
import { isWireObject, type WireObject } from "./wire.ts";

/** The key under which marks of our own travel in a native message; no provider reads it. */
const OWN = "longhaul";
const KINDS: readonly MessageKind[] = ["injected", "summary", "continuation"];

export function readMessageMarks(options: unknown): Pick<Message, "kind" | "metadata"> {
  const { kind, metadata } = ownMarks(options);
  return {
    kind: KINDS.find((name) => name === kind),
    metadata: isWireObject(metadata) ? metadata : undefined,
  };
}

export function readResultMarks(options: unknown): Pick<ToolResultPart, "time" | "original"> {
  const { compacted, original } = ownMarks(options);
  return {
    time: typeof compacted === "number" ? { compacted } : undefined,
    original: typeof original === "string" ? original : undefined,
  };
}

/** Options with the marks of a message; the ones from `before` if it has none. */
export function withMessageMarks(
  { kind, metadata }: Partial<Message>,
  before: unknown,
  extra?: WireObject,
): unknown {
  return withMarks(before, { kind, metadata }, extra);
}

/** Options with the marks of a tool result; the ones from `before` if it has none. */
export function withResultMarks({ time, original }: ToolResultPart, before: unknown): unknown {
  return withMarks(before, { compacted: time?.compacted, original });
}

function withMarks(before: unknown, marks: WireObject, extra?: WireObject): unknown {
  const set = Object.entries(marks).filter(([, value]) => value !== undefined);
  const old = ownMarks(before);
  if (set.every(([name, value]) => old[name] === value)) return before;
  return { ...fieldsOf(before), ...extra, [OWN]: { ...old, ...Object.fromEntries(set) } };
}

function ownMarks(options: unknown): WireObject {
  return fieldsOf(fieldsOf(options)[OWN]);
}

import type { Message, MessageKind, ToolResultPart } from "../../core/message/index.ts";
import { isWireObject, type WireObject } from "../wire.ts";
import { OWN_OPTIONS } from "./wire.ts";

/** What a message carries under `providerOptions.longhaul`. */
export type MessageMarks = Pick<Message, "kind" | "metadata">;

const KINDS: readonly MessageKind[] = ["injected", "summary", "continuation"];

export function readMessageMarks(native: WireObject): MessageMarks {
  const own = ownOptions(native);
  const kind = KINDS.find((name) => name === own?.["kind"]);
  const metadata = own?.["metadata"];
  return { ...(kind && { kind }), ...(isWireObject(metadata) && { metadata }) };
}

export function readResultMarks(native: WireObject): Pick<ToolResultPart, "time" | "original"> {
  const own = ownOptions(native);
  const compacted = own?.["compacted"];
  const original = own?.["original"];
  return {
    ...(typeof compacted === "number" && { time: { compacted } }),
    ...(typeof original === "string" && { original }),
  };
}

/** `providerOptions` with the marks of a message; those that were there if it has none. */
export function messageOptions(message: Message | undefined, before: unknown): unknown {
  const { kind, metadata } = message ?? {};
  return withMarks(before, { kind, metadata });
}

/** `providerOptions` with the marks of a tool result. */
export function resultOptions(part: ToolResultPart, before: unknown): unknown {
  return withMarks(before, { compacted: part.time?.compacted, original: part.original });
}

function withMarks(before: unknown, marks: WireObject): unknown {
  const set = Object.entries(marks).filter(([, value]) => value !== undefined);
  const old = isWireObject(before) && isWireObject(before[OWN_OPTIONS]) ? before[OWN_OPTIONS] : {};
  if (set.every(([name, value]) => old[name] === value)) return before;
  const others = isWireObject(before) ? before : {};
  return { ...others, [OWN_OPTIONS]: { ...old, ...Object.fromEntries(set) } };
}

function ownOptions(native: WireObject): WireObject | undefined {
  const options = native["providerOptions"];
  const own = isWireObject(options) ? options[OWN_OPTIONS] : undefined;
  return isWireObject(own) ? own : undefined;
}

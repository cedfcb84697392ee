import type { Message, MessageKind, ToolResultPart } from "../../core/message/index.ts";
import { isWireObject, type WireObject } from "../wire-value.ts";
import { OWN_KWARGS, SUMMARY_SOURCE } from "./wire.ts";

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

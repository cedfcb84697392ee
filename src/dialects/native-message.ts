import {
  isUntouched,
  type Message,
  type MessageSource,
  type OutputPart,
  type Part,
} from "../core/message/message.ts";
import { unframeSummary } from "../core/summary/frame.ts";
import { type Block, isWireBlock } from "./wire.ts";

/** A decoded message before its origin is noted. */
export type Draft = Omit<Message, "source">;

/** The source of one of several messages that were made from the same native one. */
interface SlicedSource extends MessageSource {
  readonly slice?: number;
  readonly slices?: number;
}

/** Notes on every draft that it comes from this native message, and which piece of it it is. */
export function fromNative(dialect: string, native: unknown, drafts: readonly Draft[]): Message[] {
  const slices = drafts.length;
  return drafts.map((draft, slice) => {
    const source: SlicedSource = { dialect, value: native, parts: draft.parts, slice, slices };
    return { ...draft, source };
  });
}

/** Neighbours that came from one native message, or one message from elsewhere (no `native`). */
export interface NativeGroup {
  readonly messages: readonly Message[];
  readonly native?: unknown;
  /** Nothing is missing and nothing was edited: the native message can go out as it is. */
  readonly isWhole: boolean;
}

/** Puts messages that were one native message together again, in order. */
export function groupByNative(messages: readonly Message[], dialect: string): NativeGroup[] {
  const groups: NativeGroup[] = [];
  let from = 0;
  while (from < messages.length) {
    let to = from + 1;
    while (to < messages.length && continues(messages[to - 1], messages[to], dialect)) to++;
    groups.push(nativeGroup(messages.slice(from, to), dialect));
    from = to;
  }
  return groups;
}

/** The same native object may stand twice in a list, so a slice must follow a lower one. */
function continues(before: Message | undefined, after: Message | undefined, dialect: string) {
  const left: SlicedSource | undefined = before?.source;
  const right: SlicedSource | undefined = after?.source;
  if (left?.dialect !== dialect || right?.dialect !== dialect) return false;
  return left.value === right.value && (left.slice ?? 0) < (right.slice ?? 0);
}

function nativeGroup(messages: readonly Message[], dialect: string): NativeGroup {
  const source: SlicedSource | undefined = messages[0]?.source;
  if (source?.dialect !== dialect) return { messages, isWhole: false };
  const isWhole =
    messages.length === (source.slices ?? 1) &&
    messages.every((message) => isUntouched(message, dialect));
  return { messages, native: source.value, isWhole };
}

/** The native block or field that a part came from, if it came from this dialect. */
export function nativeOf(part: Part, dialect: string): unknown {
  return part.source?.dialect === dialect ? part.source.value : undefined;
}

export function nativeBlock(part: Part, dialect: string): Block | undefined {
  const native = nativeOf(part, dialect);
  return isWireBlock(native) ? native : undefined;
}

/** The ids of the calls that came from this dialect. */
export function nativeCallIds(messages: readonly Message[], dialect: string): string[] {
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-call"));
  return calls.flatMap((call) => (nativeOf(call, dialect) === undefined ? [] : [call.toolCallId]));
}

/** A part that can stand in the content of a message: no call, no result, no reasoning. */
export function isOutputPart(part: Part): part is OutputPart {
  return part.type === "text" || part.type === "file" || part.type === "opaque";
}

/**
 * A native object with other fields: the very same object when nothing differs (arrays are
 * compared element by element), else a copy. A field set to `undefined` is removed.
 */
export function withFields<T extends object>(native: T, fields: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(fields);
  const before = native as Readonly<Record<string, unknown>>;
  if (entries.every(([name, value]) => isSame(before[name], value))) return native;
  const copy: Record<string, unknown> = { ...before };
  for (const [name, value] of entries) {
    if (value === undefined) delete copy[name];
    else if (!isSame(before[name], value)) copy[name] = value;
  }
  return copy as T;
}

function isSame(before: unknown, after: unknown): boolean {
  return before === after || (Array.isArray(before) && isSameList(before, after));
}

export function isSameList(list: readonly unknown[], other: unknown): boolean {
  if (!Array.isArray(other) || list.length !== other.length) return false;
  return list.every((item, index) => item === other[index]);
}

/**
 * Recognises our own summary in a decoded system or user message: the whole text of the message,
 * or of its first block; what follows it is a message of its own. Any other text that merely looks
 * like a summary stays what it is.
 */
export function splitSummary(draft: Draft): Draft[] {
  const [first, ...rest] = draft.parts;
  if (first?.type !== "text" || unframeSummary(first.text) === undefined) return [draft];
  const summary: Draft = { ...draft, kind: "summary", parts: [first] };
  return rest.length === 0 ? [summary] : [summary, { ...draft, parts: rest }];
}

import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { isWireObject, type WireObject } from "../dialects/wire.ts";
import { childrenAt, type Span } from "./json-spans.ts";

/** The body of a request: its parameters, and where the messages stand in its bytes. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly params: WireObject;
  /** Where its list of messages stands; `undefined` if it has none. Looked for when it is needed. */
  readonly place: () => ListPlace | undefined;
}

/** A list in the bytes of a body: from its bracket to behind the other one, and its children. */
export interface ListPlace extends Span {
  readonly children: readonly Span[];
}

/** Stands for messages that are known; nobody can guess it. */
export const MARK = `longhaul ${randomUUID()}`;
export const MARK_JSON = JSON.stringify(MARK);

/** An earlier body, and how many bytes another one begins with as that does. */
export interface Beginning {
  readonly body: ReadBody;
  readonly same: number;
}

/**
 * Reads a body whose messages are the list in the field `key`. Those that a known body begins with, byte
 * for byte, are neither decoded nor parsed again: they are the very objects of that body. `undefined` for
 * what is no JSON object in UTF-8.
 */
export function readBody(bytes: Buffer, key: string, known?: Beginning): ReadBody | undefined {
  return (known && readBehind(bytes, key, known)) ?? readWhole(bytes, key);
}

function readWhole(bytes: Buffer, key: string): ReadBody | undefined {
  const params = parsed(bytes);
  if (params === undefined) return undefined;
  let place: ListPlace | undefined;
  return {
    bytes,
    params,
    place: () => (place ??= placeIn(bytes.toString("latin1"), key, params)),
  };
}

function parsed(bytes: Buffer): WireObject | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isWireObject(value) && !Array.isArray(value) ? value : undefined;
  } catch {
    // What is no JSON is for the provider to complain about.
    return undefined;
  }
}

/** In a text with a unit for each byte: quotes, brackets and commas are the same there. */
function placeIn(text: string, key: string, params: WireObject): ListPlace | undefined {
  if (!Array.isArray(params[key])) return undefined;
  const fields = childrenAt(text, text.search(/\S/));
  // Where a name stands twice, the last one counts.
  const field = fields.findLast((span) => span.key === key);
  if (field === undefined) return undefined;
  return { start: field.start, end: field.end, children: childrenAt(text, field.start) };
}

/** The body with a mark in place of the messages that are known, which is JSON just if the whole is. */
function readBehind(bytes: Buffer, key: string, { body, same }: Beginning): ReadBody | undefined {
  const before = body.place();
  const list = body.params[key];
  if (before === undefined || !Array.isArray(list)) return undefined;
  const count = before.children.findLastIndex(({ end }) => end <= same) + 1;
  const cut = before.children[count - 1]?.end;
  if (cut === undefined) return undefined;
  const head = bytes.subarray(0, before.start + 1);
  const short = Buffer.concat([head, Buffer.from(MARK_JSON), bytes.subarray(cut)]);
  const params = parsed(short);
  const rest = params?.[key];
  if (params === undefined || !Array.isArray(rest) || rest[0] !== MARK) return undefined;
  const place = placeIn(short.toString("latin1"), key, params);
  if (place?.start !== before.start) return undefined;
  const by = bytes.length - short.length;
  const fresh = place.children.slice(1).map((span) => shifted(span, by));
  const children = before.children.slice(0, count).concat(fresh);
  const whole = { start: place.start, end: place.end + by, children };
  const messages = list.slice(0, count).concat(rest.slice(1));
  return { bytes, params: { ...params, [key]: messages }, place: () => whole };
}

function shifted({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by };
}

/** So many bytes are compared at once. */
const STRETCH = 65_536;

/** How many bytes two bodies begin with alike. */
export function commonLength(one: Buffer, other: Buffer): number {
  const end = Math.min(one.length, other.length);
  const isSame = (from: number, to: number): boolean =>
    one.compare(other, from, to, from, to) === 0;
  let from = 0;
  while (from < end && isSame(from, Math.min(from + STRETCH, end))) from += STRETCH;
  let to = Math.min(from + STRETCH, end);
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    if (isSame(from, middle)) from = middle;
    else to = middle - 1;
  }
  return Math.min(from, end);
}

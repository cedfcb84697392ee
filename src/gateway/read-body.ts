import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { isWireObject, type WireObject } from "../dialects/wire.ts";
import { childrenAt, type Span } from "./json-spans.ts";

/** The body of a request: its parameters, and where the messages stand in its bytes. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly params: WireObject;
  /** The place of its messages; `undefined` without any. Looked for when it is needed. */
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
interface Beginning {
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
    return isWireObject(value) ? value : undefined;
  } catch {
    // The provider complains about a body that is no JSON.
    return undefined;
  }
}

/** In a text with a unit for each byte: quotes, brackets and commas are the same there. */
function placeIn(text: string, key: string, params: WireObject): ListPlace | undefined {
  if (!Array.isArray(params[key])) return undefined;
  const fields = childrenAt(text, text.search(/\S/));
  // The last one counts of two with one name.
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
  const fresh = place.children
    .slice(1)
    .map(({ start, end }) => ({ start: start + by, end: end + by }));
  const children = before.children.slice(0, count).concat(fresh);
  const whole = { start: place.start, end: place.end + by, children };
  const messages = list.slice(0, count).concat(rest.slice(1));
  return { bytes, params: { ...params, [key]: messages }, place: () => whole };
}

const STRETCH = 65_536;

/** The length of the common beginning, in bytes. */
function commonLength(one: Buffer, other: Buffer): number {
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

export interface Reading {
  readonly body: ReadBody;
  /** Holds the body for later ones. `params` say the same as its own, maybe in other objects. */
  keep(params: WireObject): void;
}

/** Bodies that are held at most, and their bytes together; the one unused for longest gives way. */
const MOST_BODIES = 64;
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * A reader to which the beginning of an earlier body of the same owner is known; `undefined` for no
 * JSON object.
 */
export function createKnownBodies() {
  /** With their owners; the one used last is the last. */
  const known = new Map<ReadBody, string>();
  return (bytes: Buffer, owner: string, key: string): Reading | undefined => {
    let before: Beginning | undefined;
    for (const [body, whose] of known) {
      const same = whose === owner ? commonLength(bytes, body.bytes) : 0;
      if (same > (before?.same ?? 0)) before = { body, same };
    }
    const body = readBody(bytes, key, before);
    const keep = (params: WireObject): void => {
      // Most requests are the one before and a step more; that one is not needed again.
      if (before && before.same * 2 > before.body.bytes.length) known.delete(before.body);
      known.set({ ...(body as ReadBody), params }, owner);
      shrink(known);
    };
    return body && { body, keep };
  };
}

function shrink(known: Map<ReadBody, string>): void {
  let size = 0;
  for (const { bytes } of known.keys()) size += bytes.length;
  for (const body of known.keys()) {
    if (known.size <= MOST_BODIES && size <= MOST_BYTES) break;
    known.delete(body);
    size -= body.bytes.length;
  }
}

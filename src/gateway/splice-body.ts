import type { WireObject } from "../dialects/wire.ts";
import type { Span } from "./json-spans.ts";
import { type ListPlace, MARK, MARK_JSON, type ReadBody } from "./read-body.ts";
import { spliced } from "./splice.ts";

/**
 * The bytes of an edited body: all that was not edited keeps those of the client. `given` is what the body
 * says; messages that are the same objects in both are copied as they stand.
 */
export function splicedBody(
  { bytes, place }: ReadBody,
  { key, given, isOwn = () => false }: BodyPlace,
  edited: WireObject,
): Buffer {
  const list = place();
  const [before, after] = [given[key], edited[key]];
  if (list === undefined || !Array.isArray(before) || !Array.isArray(after)) {
    return Buffer.from(spliced(bytes.toString(), given, edited));
  }
  const ends = [bytes.subarray(0, list.start), Buffer.from(MARK_JSON), bytes.subarray(list.end)];
  const frame = Buffer.concat(ends).toString();
  const made = spliced(frame, { ...given, [key]: MARK }, { ...edited, [key]: MARK });
  const at = made.indexOf(MARK_JSON);
  const head = Buffer.from(made.slice(0, at));
  const tail = Buffer.from(made.slice(at + MARK_JSON.length));
  const pieces = listPieces({ bytes, list, before, isOwn }, after);
  return Buffer.concat([head, ...gathered(bytes, pieces), tail]);
}

/** What a body says. */
export interface BodyPlace {
  /** The field of its messages. */
  readonly key: string;
  readonly given: WireObject;
  /** Whether a message was never in a body: it is written the same wherever it stands. */
  readonly isOwn?: (message: unknown) => boolean;
}

interface Given {
  readonly isOwn: (message: unknown) => boolean;
  readonly bytes: Buffer;
  readonly list: ListPlace;
  readonly before: readonly unknown[];
}

/** Bytes of the client's, or others in their place. */
type Piece = Span | Buffer;

const [OPEN, COMMA, CLOSE, EMPTY] = ["[", ",", "]", "[]"].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];

/** Each message in its own bytes, with the spaces between those that stood together before. */
function listPieces({ bytes, list, before, isOwn }: Given, after: readonly unknown[]): Piece[] {
  if (after.length === 0) return [before.length === 0 ? list : EMPTY];
  const { children } = list;
  const places = placesOf(before, after, isOwn);
  const pieces: Piece[] = [];
  let last = -1;
  let end: number | undefined = list.start;
  for (const [index, one] of after.entries()) {
    const at = places[index];
    const child = at === undefined ? undefined : children[at];
    const isNext = end !== undefined && child !== undefined && at === last + 1;
    pieces.push(isNext ? { start: end as number, end: child.start } : index === 0 ? OPEN : COMMA);
    const isOwn = child !== undefined && one === before[at as number];
    pieces.push(isOwn ? child : messageBytes(bytes, { child, value: before[at ?? -1] }, one));
    [last, end] = [at ?? -1, child?.end];
  }
  const isWhole = end !== undefined && last === before.length - 1;
  pieces.push(isWhole ? { start: end as number, end: list.end } : CLOSE);
  return pieces;
}

/**
 * Of each message the place that it had before: by the very object, else behind that of the one before it.
 * It depends on nothing that comes later, so that what was sent once is sent the same again.
 */
function placesOf(
  before: readonly unknown[],
  after: readonly unknown[],
  isOwn: (message: unknown) => boolean,
): readonly (number | undefined)[] {
  const isSameLength = before.length === after.length;
  let known: Map<unknown, number> | undefined;
  let last: number | undefined = isSameLength ? -1 : undefined;
  return after.map((one) => {
    if (isOwn(one)) return (last = undefined);
    const next: number | undefined = last === undefined ? undefined : last + 1;
    if (next === undefined || one !== before[next]) {
      known ??= new Map(before.map((message, at) => [message, at]));
      last = known.get(one) ?? (next !== undefined && next < before.length ? next : undefined);
    } else last = next;
    return last;
  });
}

interface Counterpart {
  readonly child: Span | undefined;
  readonly value: unknown;
}

/** An edited message, with the bytes of all in it that was left as it was. */
function messageBytes(bytes: Buffer, { child, value }: Counterpart, edited: unknown): Buffer {
  if (child === undefined) return Buffer.from(JSON.stringify(edited));
  return Buffer.from(spliced(bytes.toString("utf8", child.start, child.end), value, edited));
}

/** What stands together in the client's body is copied together. */
function gathered(bytes: Buffer, pieces: readonly Piece[]): Buffer[] {
  const copied: Buffer[] = [];
  let run: Span | undefined;
  const flush = (): void => {
    if (run !== undefined) copied.push(bytes.subarray(run.start, run.end));
    run = undefined;
  };
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) {
      flush();
      copied.push(piece);
    } else if (run?.end === piece.start) run = { start: run.start, end: piece.end };
    else {
      flush();
      run = piece;
    }
  }
  flush();
  return copied;
}

import { isWireObject, type WireObject } from "../dialects/wire.ts";
import { childrenAt, type Span } from "./json-spans.ts";
import { type ListPlace, MARK, MARK_JSON, type ReadBody } from "./read-body.ts";

/**
 * The text of an edited JSON value in which all that was not edited keeps its bytes: numbers, escapes,
 * the order of fields, spaces. `text` is that of `given`; what is the very same object in both, or an
 * equal plain value, is taken from it. A field that is `undefined` is left out.
 */
export function spliced(text: string, given: unknown, edited: unknown): string {
  const start = text.search(/\S/);
  if (start < 0) return JSON.stringify(edited);
  const end = text.trimEnd().length;
  const body = written({ text, value: given, start, end }, edited);
  return text.slice(0, start) + body + text.slice(end);
}

interface Place {
  readonly text: string;
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
}

function written(place: Place, edited: unknown): string {
  const { text, value, start, end } = place;
  if (edited === value) return text.slice(start, end);
  if (Array.isArray(value) && Array.isArray(edited)) return writtenList(place, value, edited);
  const isObject = isWireObject(value) && isWireObject(edited);
  return isObject ? writtenObject(place, value, edited) : JSON.stringify(edited);
}

function writtenList(
  { text, start, end }: Place,
  value: readonly unknown[],
  edited: readonly unknown[],
): string {
  const spans = childrenAt(text, start);
  const placeOf = (at: number): Place | undefined => {
    const span = spans[at];
    return span && { text, value: value[at], start: span.start, end: span.end };
  };
  if (value.length === edited.length && spans.length === edited.length) {
    const parts = edited.map((one, at) => written(placeOf(at) as Place, one));
    return replaced(text, { start, end }, spans, parts);
  }
  const places = new Map(value.map((one, at) => [one, at]));
  const parts = edited.map((one) => {
    const at = typeof one === "object" && one !== null ? places.get(one) : undefined;
    const place = at === undefined ? undefined : placeOf(at);
    return place === undefined ? JSON.stringify(one) : written(place, one);
  });
  return `[${parts.join(",")}]`;
}

function writtenObject({ text, start, end }: Place, value: WireObject, edited: WireObject): string {
  const spans = childrenAt(text, start);
  // The last one counts of two with one name.
  const byKey = new Map(spans.map((span) => [span.key, span]));
  const child = (key: string): string => {
    const span = byKey.get(key);
    return span === undefined
      ? JSON.stringify(edited[key])
      : written({ text, value: value[key], start: span.start, end: span.end }, edited[key]);
  };
  const keys = Object.keys(edited).filter((key) => edited[key] !== undefined);
  const added = keys.filter((key) => !byKey.has(key));
  const isLess = spans.some(({ key = "" }) => edited[key] === undefined);
  if (isLess || spans.length === 0 || byKey.size < spans.length) {
    return `{${keys.map((key) => `${JSON.stringify(key)}:${child(key)}`).join(",")}}`;
  }
  const parts = spans.map(({ key = "" }) => child(key));
  const own = replaced(text, { start, end }, spans, parts);
  const more = added.map((key) => `,${JSON.stringify(key)}:${JSON.stringify(edited[key])}`);
  return more.length === 0 ? own : `${own.slice(0, -1)}${more.join("")}}`;
}

/** The text of a value with other texts in place of its children's. */
function replaced(
  text: string,
  { start, end }: Span,
  spans: readonly Span[],
  parts: readonly string[],
): string {
  let result = "";
  let at = start;
  spans.forEach((span, index) => {
    result += text.slice(at, span.start) + parts[index];
    at = span.end;
  });
  return result + text.slice(at, end);
}

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

export interface BodyPlace {
  readonly key: string;
  readonly given: WireObject;
  /** A message that was never in a body is written the same in every place. */
  readonly isOwn?: (message: unknown) => boolean;
}

interface Given extends Required<Pick<BodyPlace, "isOwn">> {
  readonly bytes: Buffer;
  readonly list: ListPlace;
  readonly before: readonly unknown[];
}

/** Bytes of the client's, or others in their place. */
type Piece = Span | Buffer;

/** Each message in its own bytes, with the spaces between those that stood together before. */
function listPieces({ bytes, list, before, isOwn }: Given, after: readonly unknown[]): Piece[] {
  if (after.length === 0) return [before.length === 0 ? list : Buffer.from("[]")];
  const { children } = list;
  const places = placesOf(before, after, isOwn);
  const pieces: Piece[] = [];
  let last = -1;
  let end: number | undefined = list.start;
  for (const [index, one] of after.entries()) {
    const at = places[index];
    const child = at === undefined ? undefined : children[at];
    const isNext = end !== undefined && child !== undefined && at === last + 1;
    const between = Buffer.from(index === 0 ? "[" : ",");
    pieces.push(isNext ? { start: end as number, end: child.start } : between);
    const value = before[at ?? -1];
    if (child === undefined) pieces.push(Buffer.from(JSON.stringify(one)));
    else if (one === value) pieces.push(child);
    else {
      const text = bytes.toString("utf8", child.start, child.end);
      pieces.push(Buffer.from(spliced(text, value, one)));
    }
    [last, end] = [at ?? -1, child?.end];
  }
  const isWhole = end !== undefined && last === before.length - 1;
  pieces.push(isWhole ? { start: end as number, end: list.end } : Buffer.from("]"));
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

/** Neighbours in the client's body are copied together. */
function gathered(bytes: Buffer, pieces: readonly Piece[]): Buffer[] {
  const runs: Piece[] = [];
  for (const piece of pieces) {
    const last = runs.at(-1);
    const isNext = last && "end" in last && "end" in piece && last.end === piece.start;
    if (isNext) runs[runs.length - 1] = { start: last.start, end: piece.end };
    else runs.push(piece);
  }
  return runs.map((run) => (Buffer.isBuffer(run) ? run : bytes.subarray(run.start, run.end)));
}

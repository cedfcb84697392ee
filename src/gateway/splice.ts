import { isWireObject, type WireObject } from "../dialects/wire.ts";
import { childrenAt, type Span } from "./json-spans.ts";

/**
 * The text of an edited JSON value in which all that was not edited keeps its bytes: numbers, escapes,
 * the order of fields, spaces. `text` is that of `given`; what is the very same object in both, or an
 * equal plain value, is taken from it. A field that is `undefined` is left out.
 */
export function spliced(text: string, given: unknown, edited: unknown): string {
  const start = text.search(/[^\s]/);
  if (start < 0) return JSON.stringify(edited);
  const end = text.trimEnd().length;
  const body = written({ text, value: given, start, end }, edited);
  return text.slice(0, start) + body + text.slice(end);
}

/** A value where it stands in a text. */
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
  const isObject = isWireObject(value) && isWireObject(edited) && !Array.isArray(edited);
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
  // Where a name stands twice, the last one counts.
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

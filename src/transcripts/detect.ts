import { ContextError } from "../core/error.ts";
import { describeValue } from "../core/rules.ts";
import { clipLine } from "../core/text/clip.ts";
import { fieldsOf } from "../core/text/json.ts";
import type { Detection, TranscriptFormat } from "./transcript.ts";

/** The facts about some content before a format is chosen. */
export type Sample =
  | { readonly shape: "records"; readonly records: readonly unknown[] }
  | { readonly shape: "document"; readonly document: unknown; readonly oneLine: boolean }
  | { readonly shape: "text"; readonly head: string };

export interface Misfit {
  readonly format: string;
  readonly reason: string;
}

interface Tried extends Seen {
  readonly format: TranscriptFormat;
}

interface Seen {
  readonly reason: string;
  /** Whether the content has at least the format's shape. */
  readonly isOfShape: boolean;
}

const SHAPES = {
  records: "lines with one JSON value each",
  document: "one JSON document",
  text: "plain text",
};

/**
 * The first format that fits the sample. Throws `ContextError` code `unknown-format` with what was
 * tried and why each did not fit; `name` is how the message names the file.
 */
export function selectFormat(
  sample: Sample,
  formats: readonly TranscriptFormat[],
  name: string,
): TranscriptFormat {
  const tried: Tried[] = [];
  for (const format of formats) {
    const detection = detect(sample, format);
    if (detection === true) return format;
    tried.push({ format, ...detection });
  }
  throw unknownFormat(sample, name, tried);
}

/**
 * The formats of one name, or all of them without a name.
 * Throws `ContextError` code `invalid-options` for a name that no format has.
 */
export function formatsNamed(
  formats: readonly TranscriptFormat[],
  name: string | undefined,
): readonly TranscriptFormat[] {
  if (name === undefined) return formats;
  const named = formats.filter((format) => format.name === name);
  if (named.length > 0) return named;
  const known = [...new Set(formats.map((format) => format.name))];
  throw new ContextError(
    "invalid-options",
    `There is no transcript format "${name}". Choose one of: ${known.join(", ")}.`,
    { details: { option: "format", value: name, known } },
  );
}

function detect(sample: Sample, format: TranscriptFormat): true | Seen {
  const detection = ofShape(sample, format);
  if (detection === true) return true;
  if (detection !== undefined) return { reason: detection, isOfShape: true };
  const reason = `it is ${SHAPES[format.shape]}, and this is ${SHAPES[sample.shape]}`;
  return { reason, isOfShape: false };
}

/** `undefined` where the content has another shape. */
function ofShape(sample: Sample, format: TranscriptFormat): Detection | undefined {
  if (format.shape === "records" && sample.shape === "records") {
    return format.detect(sample.records);
  }
  if (format.shape === "records" && sample.shape === "document" && sample.oneLine) {
    return format.detect([sample.document]);
  }
  if (format.shape === "document" && sample.shape === "document") {
    return format.detect(sample.document);
  }
  if (format.shape === "text" && sample.shape === "text") return format.detect(sample.head);
  return undefined;
}

const NEAREST = 3;

/** Three lines: what was seen, what came near, and what to do. */
function unknownFormat(sample: Sample, name: string, tried: readonly Tried[]): ContextError {
  const misfits = tried.map(({ format, reason }): Misfit => ({ format: format.name, reason }));
  const details = { file: name, seen: seenIn(sample), tried: misfits };
  const [only] = misfits;
  if (only !== undefined && misfits.length === 1) {
    const what = `${name} does not fit the format ${only.format}: ${only.reason}. Leave the format out to have it recognised.`;
    return new ContextError("unknown-format", what, { details });
  }
  const near = nearest(sample, tried).map(({ format, reason }) => `${format.name} (${reason})`);
  const known = [...new Set(misfits.map(({ format }) => format))].join(", ");
  const lines = [
    `${name} fits no known transcript format. Seen: ${details.seen}.`,
    near.length === 0 ? "No format is like that." : `Nearest: ${near.join("; ")}.`,
    `If you know it, name it with --format (in code: format): ${known}.`,
  ];
  return new ContextError("unknown-format", lines.join("\n"), { details });
}

/** Of the formats that have this shape, those whose missing signs are partly there. */
function nearest(sample: Sample, tried: readonly Tried[]): readonly Tried[] {
  const names = namesIn(sample);
  const like = ({ reason }: Tried): number =>
    reason.split(/\W+/).filter((word) => names.has(word)).length;
  return tried
    .filter(({ isOfShape }) => isOfShape)
    .toSorted((one, other) => like(other) - like(one))
    .filter(({ format }, at, all) => all.findIndex((one) => one.format.name === format.name) === at)
    .slice(0, NEAREST);
}

function seenIn(sample: Sample): string {
  if (sample.shape === "text") return `plain text that begins with "${clipLine(sample.head, 60)}"`;
  if (sample.shape === "records") {
    return `lines with one JSON value each, the first ${valueSeen(sample.records[0])}`;
  }
  return `one JSON document, ${valueSeen(sample.document)}`;
}

const FIELDS_SEEN = 8;

function valueSeen(value: unknown): string {
  if (Array.isArray(value)) {
    return value.length === 0
      ? "an empty list"
      : `a list whose first entry is ${valueSeen(value[0])}`;
  }
  const names = Object.keys(fieldsOf(value)).map((name) => clipLine(name, 30));
  if (names.length === 0) return describeValue(value);
  const more = names.length > FIELDS_SEEN ? ", …" : "";
  return `an object with ${names.slice(0, FIELDS_SEEN).join(", ")}${more}`;
}

/** The names of the fields on the first two levels. */
function namesIn(sample: Sample): ReadonlySet<string> {
  const values =
    sample.shape === "records"
      ? sample.records
      : sample.shape === "document"
        ? [sample.document]
        : [];
  const records = values.flatMap((value) => (Array.isArray(value) ? value.slice(0, 10) : [value]));
  const fields = records.map(fieldsOf);
  const inner = fields.flatMap((record) => Object.values(record).map(fieldsOf));
  return new Set([...fields, ...inner].flatMap((record) => Object.keys(record)));
}

import { ContextError } from "../core/error.ts";
import type { Detection, TranscriptFormat } from "./transcript.ts";

/** What is known of some content before a format is chosen. */
export type Sample =
  | { readonly shape: "records"; readonly records: readonly unknown[] }
  | { readonly shape: "document"; readonly document: unknown; readonly oneLine: boolean }
  | { readonly shape: "text"; readonly head: string };

/** Why a format was not chosen. */
export interface Misfit {
  readonly format: string;
  readonly reason: string;
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
  const tried: Misfit[] = [];
  for (const format of formats) {
    const detection = detect(sample, format);
    if (detection === true) return format;
    tried.push({ format: format.name, reason: detection });
  }
  throw unknownFormat(name, tried);
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

function detect(sample: Sample, format: TranscriptFormat): Detection {
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
  return `it is ${SHAPES[format.shape]}, and this is ${SHAPES[sample.shape]}`;
}

function unknownFormat(name: string, tried: readonly Misfit[]): ContextError {
  const list = tried.map(({ format, reason }) => `${format}: ${reason}`).join("; ");
  const what =
    tried.length === 1
      ? `${name} does not fit the format ${list}. Leave the format out to have it recognised.`
      : `${name} fits no known transcript format. Tried ${list}. Name the right one if you know it.`;
  return new ContextError("unknown-format", what, { details: { file: name, tried } });
}

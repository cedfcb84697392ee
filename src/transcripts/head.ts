import { ContextError } from "../core/error.ts";
import { countLineEnds } from "../core/text/utf8.ts";
import { isDeeperThan, raising, type TranscriptLimits } from "./limits.ts";
import { createLineSplitter, type Line } from "./lines.ts";

/** The beginning of some content, enough of it to see what it is. */
export interface Head {
  readonly bytes: Buffer;
  /** Whether `bytes` is all there is. */
  readonly whole: boolean;
  /** The whole content once more from its first byte; to be read at most once. */
  readonly stream: AsyncIterable<Buffer>;
}

/** The look of the beginning: a document must be read whole before more can be said. */
export type Guess =
  | { readonly shape: "document"; readonly oneLine: boolean }
  | {
      readonly shape: "records";
      readonly records: readonly unknown[];
      /** Whether a document is possible as well: one with something printed before or behind it. */
      readonly mayBeDocument: boolean;
    }
  | { readonly shape: "text"; readonly head: string; readonly mayBeDocument: boolean };

const SAMPLE_LINES = 50;
/** Enough to judge by, when at least two lines are in it. */
const SAMPLE_BYTES = 4 * 1024 * 1024;
const TEXT_BYTES = 64 * 1024;

/**
 * Reads 50 lines and 64 KB, or 4 MB if that is at least two lines, or everything.
 * Throws `ContextError` code `limit-exceeded` when the first line is longer than a document may be.
 */
export async function readHead(
  source: AsyncIterable<Buffer>,
  limits: TranscriptLimits,
): Promise<Head> {
  const iterator = source[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let size = 0;
  let lines = 0;
  const isEnough = (): boolean =>
    (lines >= SAMPLE_LINES && size >= TEXT_BYTES) || (lines >= 2 && size >= SAMPLE_BYTES);
  while (!isEnough()) {
    if (size > limits.documentBytes) throw documentTooLong(limits);
    const next = await iterator.next();
    if (next.done === true) return wholeHead(Buffer.concat(chunks));
    chunks.push(next.value);
    size += next.value.length;
    lines += countLineEnds(next.value);
  }
  return { bytes: Buffer.concat(chunks), whole: false, stream: replay(chunks, iterator) };
}

/** The kind of content, by what most of its first lines are. */
export function guessShape(head: Head, limits: TranscriptLimits): Guess {
  const lines = sampleLines(head, limits.lineBytes);
  const records = lines.flatMap(({ bytes }) => parsedRecord(bytes, limits.depth));
  const oneLine = head.whole && lines.length === 1;
  if (!oneLine && records.length * 2 >= lines.length && records.length > 0) {
    return { shape: "records", records, mayBeDocument: records.length === 1 };
  }
  const text = head.bytes.subarray(0, TEXT_BYTES).toString();
  if (/^\s*[{[]/.test(text)) return { shape: "document", oneLine };
  return { shape: "text", head: text, mayBeDocument: /^[ \t]*[{[]/m.test(text) };
}

export function documentTooLong({ documentBytes }: TranscriptLimits): ContextError {
  return new ContextError(
    "limit-exceeded",
    `The content is one JSON document of more than ${documentBytes} bytes. ${raising("documentBytes", "512MB")}`,
    { details: { limit: "documentBytes", value: documentBytes } },
  );
}

function sampleLines(head: Head, maxBytes: number): readonly Line[] {
  const splitter = createLineSplitter(maxBytes);
  const lines = [...splitter.push(head.bytes)];
  if (head.whole) lines.push(...splitter.end());
  return lines.filter(({ bytes }) => /\S/.test(bytes.toString("latin1", 0, 100))).slice(0, 50);
}

function parsedRecord(line: Buffer, depth: number): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(line.toString());
    const usable = typeof value === "object" && value !== null && !isDeeperThan(value, depth);
    return usable ? [value] : [];
  } catch {
    return [];
  }
}

function wholeHead(bytes: Buffer): Head {
  return { bytes, whole: true, stream: replay([bytes], undefined) };
}

async function* replay(
  chunks: readonly Buffer[],
  rest: AsyncIterator<Buffer> | undefined,
): AsyncGenerator<Buffer> {
  yield* chunks;
  if (rest !== undefined) yield* { [Symbol.asyncIterator]: () => rest };
}

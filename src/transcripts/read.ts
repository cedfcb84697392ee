import { checkNames, type OptionNames } from "../core/options.ts";
import { formatsNamed, type Sample, selectFormat } from "./detect.ts";
import { type ParsedDocument, parseDocument } from "./document.ts";
import { transcriptFormats } from "./formats.ts";
import { guessShape, type Head, readHead } from "./head.ts";
import { transcriptLimits, type TranscriptLimits } from "./limits.ts";
import { type LineContext, lineRecords, lineTexts, splitLines } from "./lines.ts";
import { openSource, type TranscriptInput, unpack, unreadable } from "./source.ts";
import {
  createWarnings,
  type DocumentFormat,
  type Reading,
  type RecordsFormat,
  type TextFormat,
  type Transcript,
  type TranscriptFormat,
} from "./transcript.ts";

export interface ReadTranscriptOptions {
  /** Name of the format, e.g. `claude-code`; without it the content decides. */
  readonly format?: string;
  readonly limits?: Partial<TranscriptLimits>;
  /** Called with the bytes read so far, as stored, and with how many there are if that is known. */
  readonly onProgress?: (bytes: number, total?: number) => void;
  readonly signal?: AbortSignal;
  /** The formats to know; all of this package by default. */
  readonly formats?: readonly TranscriptFormat[];
}

interface ReadContext extends LineContext {
  readonly name: string;
  readonly formats: readonly TranscriptFormat[];
}

interface Outcome {
  readonly format: string;
  readonly reading: Reading;
  readonly unparsableLines: number;
}

const READ_OPTIONS: OptionNames<ReadTranscriptOptions> = {
  format: true,
  limits: true,
  onProgress: true,
  signal: true,
  formats: true,
};

/**
 * Reads a session of any known agent: a file by its path, its bytes, or a stream of them; plain,
 * gzip, or zstd where Node.js has it (22.15). The format is recognised by the content and never by
 * the name. Plain files of line formats are read as a stream; JSON documents are held in memory, and
 * so is all that a packed file unpacks to.
 *
 * Content that cannot be read as it stands (a torn line, invalid UTF-8, a cut document) is left out or
 * repaired and told in `warnings`.
 *
 * Throws `ContextError`: `unreadable-file` (missing, unreadable, empty, a folder, damaged beyond
 * repair), `unknown-format` (with what was tried), `limit-exceeded` and `invalid-options`.
 */
export async function readTranscript(
  input: TranscriptInput,
  options: ReadTranscriptOptions = {},
): Promise<Transcript> {
  checkNames(options, READ_OPTIONS);
  const limits = transcriptLimits(options.limits);
  const formats = formatsNamed(options.formats ?? transcriptFormats, options.format);
  const warnings = createWarnings(limits.warnings);
  const source = await openSource(input, options);
  const { name } = source;
  const bytes = unpack(source.bytes, { name, maxBytes: limits.unpackedBytes, warnings });
  try {
    const outcome = await read(bytes, { name, formats, limits, warnings });
    return {
      ...outcome.reading,
      format: outcome.format,
      unparsableLines: outcome.unparsableLines,
      warnings: [...warnings.list(), ...outcome.reading.warnings],
    };
  } finally {
    await bytes.return(undefined);
  }
}

async function read(bytes: AsyncIterable<Buffer>, context: ReadContext): Promise<Outcome> {
  const head = await readHead(bytes, context.limits);
  if (head.whole && head.bytes.toString("latin1").trim() === "") {
    throw unreadable(context.name, "is empty", "Give a session that holds messages");
  }
  const guess = guessShape(head, context.limits);
  if (guess.shape === "document") return readWhole(guess.oneLine, head, context);
  let format: TranscriptFormat;
  try {
    format = choose(guess, context);
  } catch (error) {
    if (!guess.mayBeDocument) throw error;
    return readWhole(false, head, context).catch(() => {
      throw error;
    });
  }
  return readLines(format as RecordsFormat | TextFormat, head, context);
}

async function readWhole(oneLine: boolean, head: Head, context: ReadContext): Promise<Outcome> {
  const document = await parseDocument(head, context);
  const format = choose({ shape: "document", document: document.value, oneLine }, context);
  if (format.shape === "document") return readDocument(format, document);
  return readLines(format, head, context);
}

function choose(sample: Sample, { formats, name }: ReadContext): TranscriptFormat {
  return selectFormat(sample, formats, name);
}

async function readDocument(
  format: DocumentFormat,
  { value, isTorn }: ParsedDocument,
): Promise<Outcome> {
  const reading = (await format.load()).read(value, { isTorn });
  return { format: format.name, reading, unparsableLines: 0 };
}

/** Lines of a format that reads as a stream: records or text. */
async function readLines(
  format: RecordsFormat | TextFormat,
  head: Head,
  context: ReadContext,
): Promise<Outcome> {
  const reader = (await format.load()).open();
  const valuesOf = format.shape === "text" ? lineTexts : lineRecords;
  let unparsableLines = 0;
  for await (const batch of splitLines(head.stream, context.limits.lineBytes)) {
    for (const line of batch) {
      const { values, parsed } = valuesOf(line, context);
      for (const value of values) reader.record(value, line.number);
      if (!parsed) unparsableLines += 1;
    }
  }
  return { format: format.name, reading: reader.finish(), unparsableLines };
}

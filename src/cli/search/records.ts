import { readFile } from "node:fs/promises";
import { fieldsOf } from "../../core/text/json.ts";
import { DEFAULT_TRANSCRIPT_LIMITS } from "../../transcripts/limits.ts";
import { packingOf } from "../../transcripts/packing.ts";
import { linesOf } from "./scan.ts";
import type { TranscriptInput } from "../../transcripts/index.ts";

/** One record of a session as it is stored: a line of a file, or a message of a document. */
export interface SessionRecord {
  /** From 1. */
  readonly number: number;
  /** As it is stored; absent where it was parsed with all others. */
  readonly bytes?: Buffer;
  /** Parsed; a text where it is no JSON. */
  value(): unknown;
}

const { documentBytes } = DEFAULT_TRANSCRIPT_LIMITS;

/** The records of a file: messages of one that ends in `.json`, else lines; plain or packed. */
export async function* sessionRecords(file: string): AsyncGenerator<SessionRecord> {
  if (/\.json(?:\.gz|\.zst)?$/.test(file)) {
    const document = await parsedFile(file);
    if (document !== undefined) return yield* messagesOf(document);
  }
  for await (const { bytes, number } of linesOf(file)) {
    yield { bytes, number, value: () => parsedLine(bytes) };
  }
}

/** The records of what an agent does not keep in one file. */
export async function* documentRecords(input: TranscriptInput): AsyncGenerator<SessionRecord> {
  if (typeof input === "string") return yield* sessionRecords(input);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of input instanceof Uint8Array ? [input] : input) {
    size += piece.length;
    if (size > documentBytes) return;
    pieces.push(piece);
  }
  yield* messagesOf(JSON.parse(Buffer.concat(pieces).toString()));
}

async function parsedFile(file: string): Promise<unknown> {
  try {
    const bytes = await readFile(file);
    const plain = packingOf(bytes)?.whole(bytes, documentBytes) ?? bytes;
    return plain.length > documentBytes ? undefined : JSON.parse(plain.toString());
  } catch {
    return undefined;
  }
}

/** Messages where there is a list of them, else the whole as one record. */
function* messagesOf(document: unknown): Generator<SessionRecord> {
  const { messages } = fieldsOf(document);
  const list = [messages, document].find((one) => Array.isArray(one)) as unknown[] | undefined;
  for (const [at, message] of (list ?? [document]).entries()) {
    yield { number: at + 1, value: () => message };
  }
}

function parsedLine(bytes: Buffer): unknown {
  const text = bytes.toString();
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    // Torn, or an output that only begins like this.
    return text;
  }
}

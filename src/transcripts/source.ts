import { constants } from "node:buffer";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { ContextError, isContextError } from "../core/error.ts";
import { raising } from "./limits.ts";
import { type Packing, packingOf } from "./packing.ts";
import type { Warnings } from "./transcript.ts";

/** A transcript: the path of a file, its bytes, or a stream of its bytes. */
export type TranscriptInput = string | Uint8Array | AsyncIterable<Uint8Array>;

interface ByteSource {
  readonly name: string;
  /** Its size in bytes as it is stored, when that is known. */
  readonly total?: number;
  readonly bytes: AsyncIterable<Buffer>;
}

interface ByteSourceOptions {
  readonly onProgress?: ((bytes: number, total?: number) => void) | undefined;
  readonly signal?: AbortSignal;
}

const READ_BYTES = 256 * 1024;

/**
 * Opens a transcript. Throws `ContextError` code `unreadable-file` for a file that is missing, may
 * not be read, is empty, or is a folder.
 */
export async function openSource(
  input: TranscriptInput,
  options: ByteSourceOptions = {},
): Promise<ByteSource> {
  if (typeof input === "string") {
    const total = await fileSize(input);
    const bytes = watch(readFile(input), options, total);
    return { name: input, bytes, total };
  }
  if (input instanceof Uint8Array) {
    if (input.length === 0) throw unreadable("the input", "is empty", "Give a session to read");
    return {
      name: "the input",
      total: input.length,
      bytes: watch(inPieces(input), options, input.length),
    };
  }
  return { name: "the input", bytes: watch(input, options, undefined) };
}

export function unreadable(
  name: string,
  what: string,
  next: string,
  cause?: unknown,
): ContextError {
  return new ContextError("unreadable-file", `Cannot read ${name}: it ${what}. ${next}.`, {
    details: { file: name, reason: what },
    cause,
  });
}

/** The size of a file; `undefined` for a pipe or a device, which has none. */
async function fileSize(path: string): Promise<number | undefined> {
  const info = await stat(path).catch((cause: unknown) => {
    throw fileError(path, cause);
  });
  if (info.isDirectory()) throw unreadable(path, "is a folder", "Name a session file in it");
  if (!info.isFile()) return undefined;
  if (info.size === 0) {
    throw unreadable(path, "is empty", "Name a session file that holds messages");
  }
  return info.size;
}

async function* readFile(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw fileError(path, cause);
  }
}

function fileError(path: string, cause: unknown): ContextError {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return unreadable(path, "does not exist", "Check the path", cause);
  }
  if (code === "EACCES" || code === "EPERM") {
    return unreadable(path, "may not be read", "Check its permissions", cause);
  }
  return unreadable(path, `failed (${code ?? String(cause)})`, "Check the file", cause);
}

function* inPieces(bytes: Uint8Array): Generator<Buffer> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < buffer.length; at += READ_BYTES) yield buffer.subarray(at, at + READ_BYTES);
}

async function* watch(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: ByteSourceOptions,
  total: number | undefined,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  options.signal?.throwIfAborted();
  for await (const chunk of chunks) {
    options.signal?.throwIfAborted();
    bytes += chunk.length;
    options.onProgress?.(bytes, total);
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  }
}

interface UnpackOptions {
  readonly name: string;
  /** The most that a packed file may unpack to, in bytes. */
  readonly maxBytes: number;
  readonly warnings: Warnings;
}

/** Enough to know a packing or a byte order mark by. */
const START = 4;
const UTF8_MARK = [0xef, 0xbb, 0xbf];
const UTF16_MARKS = { "utf-16le": [0xff, 0xfe], "utf-16be": [0xfe, 0xff] };

/**
 * Plain UTF-8 bytes without a byte order mark, from plain, gzip, zstd or UTF-16 bytes, recognised
 * by their first bytes. What is packed is held in memory; of what is cut short, what it holds is given.
 * Throws `ContextError` code `unreadable-file` for what is damaged, and for zstd where Node has none
 * (before 22.15).
 */
export async function* unpack(
  source: AsyncIterable<Buffer>,
  options: UnpackOptions,
): AsyncGenerator<Buffer> {
  const [packed, start] = await peek(source);
  const packing = packingOf(start);
  const [plain, first] = await peek(packing ? unpacked(packing, packed, options) : packed);
  const utf16 = Object.entries(UTF16_MARKS).find(([, mark]) => startsWith(first, mark));
  if (utf16 !== undefined) yield* transcode(plain, utf16[0]);
  else if (startsWith(first, UTF8_MARK)) yield* skip(plain, UTF8_MARK.length);
  else yield* plain;
}

function startsWith(bytes: Buffer, mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

/** The stream, whole, and its first four bytes (fewer if it has fewer). */
async function peek(source: AsyncIterable<Buffer>): Promise<[AsyncGenerator<Buffer>, Buffer]> {
  const iterator = source[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  while (start.length < START) {
    const next = await iterator.next();
    if (next.done === true) break;
    start = start.length === 0 ? next.value : Buffer.concat([start, next.value]);
  }
  return [resume(start, iterator), start.subarray(0, START)];
}

async function* resume(start: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (start.length > 0) yield start;
    yield* { [Symbol.asyncIterator]: () => rest };
  } finally {
    await rest.return?.();
  }
}

async function* skip(source: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of source) {
    yield left === 0 ? chunk : chunk.subarray(left);
    left = 0;
  }
}

async function* transcode(source: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of source) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

async function* unpacked(
  packing: Packing,
  source: AsyncIterable<Buffer>,
  options: UnpackOptions,
): AsyncGenerator<Buffer> {
  const packed: Buffer[] = [];
  for await (const chunk of source) packed.push(chunk);
  const most = Math.min(options.maxBytes, constants.MAX_LENGTH);
  let plain: Buffer;
  try {
    plain = packing.whole(Buffer.concat(packed), most, () =>
      options.warnings.add(
        `The ${packing.name} file is cut short; what could be unpacked was read.`,
      ),
    );
  } catch (cause) {
    if (isContextError(cause)) throw cause;
    if (cause instanceof RangeError) throw tooLarge(options, packing, most);
    const next = `Unpack what is left of it (${packing.name} -dc FILE > PLAIN) and read that`;
    throw unreadable(options.name, `is damaged inside its ${packing.name}`, next, cause);
  }
  yield* inPieces(plain);
}

function tooLarge({ name, maxBytes }: UnpackOptions, packing: Packing, most: number): ContextError {
  const next =
    most < maxBytes
      ? `Node.js ${process.versions.node} holds no more in one piece. Unpack the file first: ${packing.name} -dc FILE > PLAIN.`
      : `If the file is to be trusted: ${raising("unpackedBytes", "3GB")}`;
  return new ContextError("limit-exceeded", `${name} unpacks to more than ${most} bytes. ${next}`, {
    details: { file: name, limit: "unpackedBytes", value: most },
  });
}

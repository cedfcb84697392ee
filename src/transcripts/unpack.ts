import { finished } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { ContextError } from "../core/error.ts";
import type { Warnings } from "./warnings.ts";

interface UnpackOptions {
  /** How messages name the file. */
  readonly name: string;
  /** What gzip may unpack to, in bytes. */
  readonly maxBytes: number;
  readonly warnings: Warnings;
}

const GZIP = [0x1f, 0x8b];
const UTF8_MARK = [0xef, 0xbb, 0xbf];
const UTF16_MARKS = { "utf-16le": [0xff, 0xfe], "utf-16be": [0xfe, 0xff] };
/** gzip makes at most 1,032 bytes of one, so that one piece gives at most 16 MB. */
const PIECE = 16 * 1024;

/**
 * Plain UTF-8 bytes without a byte order mark, from plain, gzip or UTF-16 bytes, recognised by
 * their first bytes. What a damaged gzip file still holds is given, with a warning.
 */
export async function* unpack(
  source: AsyncIterable<Buffer>,
  options: UnpackOptions,
): AsyncGenerator<Buffer> {
  const [packed, start] = await peek(source);
  const [plain, first] = await peek(startsWith(start, GZIP) ? gunzip(packed, options) : packed);
  const utf16 = Object.entries(UTF16_MARKS).find(([, mark]) => startsWith(first, mark));
  if (utf16 !== undefined) yield* transcode(plain, utf16[0]);
  else if (startsWith(first, UTF8_MARK)) yield* skip(plain, UTF8_MARK.length);
  else yield* plain;
}

function startsWith(bytes: Buffer, mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

/** The stream, whole, and its first three bytes (fewer if it has fewer). */
async function peek(source: AsyncIterable<Buffer>): Promise<[AsyncGenerator<Buffer>, Buffer]> {
  const iterator = source[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  while (start.length < UTF8_MARK.length) {
    const next = await iterator.next();
    if (next.done === true) break;
    start = start.length === 0 ? next.value : Buffer.concat([start, next.value]);
  }
  return [resume(start, iterator), start.subarray(0, UTF8_MARK.length)];
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

/** Unpacks step by step: an iterated stream would lose what it unpacked shortly before an error. */
async function* gunzip(
  source: AsyncIterable<Buffer>,
  options: UnpackOptions,
): AsyncGenerator<Buffer> {
  const stream = createGunzip();
  const ready: Buffer[] = [];
  let failed = false;
  let unpacked = 0;
  stream.on("data", (bytes: Buffer) => ready.push(bytes));
  stream.on("error", () => (failed = true));
  try {
    for await (const piece of piecesOf(source)) {
      if (!failed) await new Promise<void>((resolve) => stream.write(piece, () => resolve()));
      for (const bytes of ready) unpacked += bytes.length;
      if (unpacked > options.maxBytes) throw tooLarge(options);
      yield* ready.splice(0);
    }
    await finished(stream.end()).catch(() => (failed = true));
    yield* ready.splice(0);
  } finally {
    stream.destroy();
  }
  if (failed) {
    options.warnings.add("The gzip file is cut short or damaged; what could be unpacked was read.");
  }
}

async function* piecesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += PIECE) yield chunk.subarray(at, at + PIECE);
  }
}

function tooLarge({ name, maxBytes }: UnpackOptions): ContextError {
  return new ContextError(
    "limit-exceeded",
    `${name} unpacks to more than ${maxBytes} bytes. If the file is to be trusted, raise the limit unpackedBytes.`,
    { details: { file: name, limit: "unpackedBytes", value: maxBytes } },
  );
}

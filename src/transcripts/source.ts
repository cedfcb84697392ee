import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { ContextError } from "../core/error.ts";

/** A transcript: the path of a file, its bytes, or a stream of its bytes. */
export type TranscriptInput = string | Uint8Array | AsyncIterable<Uint8Array>;

/** Where bytes come from. */
export interface ByteSource {
  /** How messages name it: the path, or `the input`. */
  readonly name: string;
  /** Its size in bytes as it is stored, when that is known. */
  readonly total?: number;
  readonly bytes: AsyncIterable<Buffer>;
}

export interface ByteSourceOptions {
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
    return { name: input, bytes, ...(total !== undefined && { total }) };
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

/** The error for a file that cannot be read. */
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

function* inPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += READ_BYTES) yield bytes.subarray(at, at + READ_BYTES);
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

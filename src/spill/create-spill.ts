import { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { errorMessage } from "../core/error.ts";
import { checkNames, type OptionNames } from "../core/options.ts";
import { isHigh } from "../core/text/utf8.ts";
import {
  checkedDirection,
  completeLimits,
  windowBytes,
  type Direction,
  type Limits,
} from "../core/truncate/limits.ts";
import { checkAboveZero, cutAndKeep, previewText } from "./cut.ts";
import { createSink } from "./sink.ts";
import type { Archive, ArchiveEntry } from "../archive/index.ts";
import type { Truncation } from "../core/truncate/index.ts";

export interface SpillOptions {
  /** The place for the whole of a cut output. Without one it is lost, and the notice says so. */
  readonly archive?: Archive;
  /** @default 2,000 lines and 50,000 bytes */
  readonly limits?: Partial<Limits>;
  /** The part of a large output that stays. @default "tail" */
  readonly direction?: Direction;
  /** An output beyond so many bytes is not kept, only its preview. @default 4 GiB */
  readonly maxFileBytes?: number;
  /** Keep the whole output even when nothing was cut. @default false */
  readonly keep?: boolean;
}

/** `undefined` is refused; the types of browsers have it in every stream that is written to. */
type WebChunk = Uint8Array | string | undefined;

/** Takes an output that comes as a stream: from a socket, a terminal, an MCP server. */
export interface Spill {
  /** Both faces take bytes or text, and both make a source wait that is faster than the disk. */
  readonly web: WritableStream<WebChunk>;
  readonly node: Writable;
  /** Bytes so far. */
  bytes(): number;
  /** Line ends so far. */
  lines(): number;
  /** After the last piece: closes both faces. A second call returns the same result. Never rejects. */
  finish(): Promise<SpillResult>;
}

export interface SpillResult {
  /** The text for a model: the kept part, the notice if something was cut, and the warnings. */
  readonly text: string;
  readonly truncation: Truncation;
  /** The whole output, if it was cut (or `keep` is set) and could be kept. */
  readonly entry?: ArchiveEntry;
  readonly warnings: readonly string[];
}

export const DEFAULT_MAX_BYTES = 4_294_967_296;

export const SPILL_OPTIONS: OptionNames<SpillOptions> = {
  archive: true,
  limits: true,
  direction: true,
  maxFileBytes: true,
  keep: true,
};

/**
 * A sink for a stream of any length: the ends stay in memory (2 MB with the default limits),
 * the whole goes to the archive once it is larger than the limits. A disk that fails costs the
 * original, never the preview. Throws `invalid-options` for limits that leave nothing and for an unknown
 * direction.
 */
export function createSpill(options: SpillOptions = {}): Spill {
  checkNames(options, SPILL_OPTIONS);
  const { archive, maxFileBytes = DEFAULT_MAX_BYTES, keep = false } = options;
  const limits = completeLimits(options.limits);
  const direction = checkedDirection(options.direction ?? "tail");
  checkAboveZero({ maxFileBytes });
  const sink = createSink({ archive, capacity: windowBytes(limits), maxBytes: maxFileBytes });
  const chunks = chunkBytes();
  let failure: string | undefined;
  let isFinished = false;
  let writing: Promise<void> | undefined;
  let result: Promise<SpillResult> | undefined;

  const finish = async (): Promise<SpillResult> => {
    await Promise.allSettled([finished(node.end()), web.locked || web.close()]);
    // A writer may have been left before it was done: the chunks in its queue come now.
    for (let last: typeof writing; last !== writing;) {
      last = writing;
      await last;
      await nextTurn();
    }
    isFinished = true;
    await sink.write(chunks.rest());
    const { truncation, kept } = await cutAndKeep(sink, { limits, direction, keep });
    const warnings = failure === undefined ? [] : [failure];
    return {
      text: previewText(truncation, kept, warnings),
      truncation,
      ...(kept.entry && { entry: kept.entry }),
      warnings,
    };
  };
  const taker: Taker = {
    write(chunk, encoding) {
      // A writer that somebody still holds must not write into what became of the descriptor.
      if (isFinished) throw new TypeError("The spill is finished; it takes nothing more.");
      const written = sink.write(chunks.of(chunk, encoding));
      writing = written ?? writing;
      return written;
    },
    fail: (error) => {
      const why = error === undefined ? "" : ` (${errorMessage(error)})`;
      failure ??= `The output ended early${why}; only what came before is here.`;
    },
  };
  const [web, node] = [webFace(taker), nodeFace(taker)];
  return {
    web,
    node,
    bytes: () => sink.size(),
    lines: () => sink.lines(),
    finish: () => (result ??= finish()),
  };
}

interface Taker {
  /** Throws for what it cannot take. */
  write(chunk: unknown, encoding?: BufferEncoding): Promise<void> | undefined;
  fail(error: unknown): void;
}

function webFace(taker: Taker): WritableStream<WebChunk> {
  return new WritableStream<WebChunk>({
    write: (chunk) => {
      try {
        return taker.write(chunk);
      } catch (error) {
        // The stream takes nothing more after that.
        taker.fail(error);
        throw error;
      }
    },
    abort: (reason) => taker.fail(reason),
  });
}

function nodeFace(taker: Taker): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: Uint8Array | string, encoding, done) {
      const written = taker.write(chunk, encoding);
      if (written === undefined) done();
      else void after(written, done);
    },
    destroy(error, done) {
      // Also without an error: what was still to be written is gone.
      if (error !== null || !this.writableFinished) taker.fail(error ?? undefined);
      done(null);
    },
  });
}

async function after(work: Promise<void>, done: () => void): Promise<void> {
  await work;
  done();
}

/**
 * Makes bytes of the pieces of a stream, in their order. A source of text may cut a surrogate pair in
 * two; its first half waits for the other one.
 */
function chunkBytes() {
  let half = "";
  const take = (): string => {
    const text = half;
    half = "";
    return text;
  };
  return {
    /** Throws a `TypeError` for what is neither bytes nor text. */
    of(chunk: unknown, encoding: BufferEncoding = "utf8"): Uint8Array {
      if (typeof chunk !== "string" || !/^utf-?8$/i.test(encoding)) {
        const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : bytesOf(chunk);
        return half === "" ? bytes : Buffer.concat([Buffer.from(take()), bytes]);
      }
      const text = take() + chunk;
      if (!isHigh(text.charCodeAt(text.length - 1))) return Buffer.from(text);
      half = text.slice(-1);
      return Buffer.from(text.slice(0, -1));
    },
    /** The rest at the end: nothing, or the half of a character whose other half never came. */
    rest: (): Uint8Array => Buffer.from(take()),
  };
}

function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  if (ArrayBuffer.isView(chunk)) {
    return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
  throw new TypeError(`A spill takes bytes or text; this is of type ${typeof chunk}.`);
}

import { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { errorMessage } from "../core/error.ts";
import { checkNames, type OptionNames } from "../core/options.ts";
import { checkValues } from "../core/rules.ts";
import { isHigh } from "../core/text/utf8.ts";
import {
  checkedDirection,
  completeLimits,
  windowBytes,
  type Direction,
  type Limits,
} from "../core/truncate/limits.ts";
import { cutAndKeep, previewText, SPILL_RULES } from "./cut.ts";
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

/** Takes an output that comes as a stream: from a socket, a terminal, an MCP server. */
export interface Spill {
  /** Takes bytes or text, and makes a source wait that is faster than the disk. */
  readonly input: Writable;
  /** Bytes so far. */
  bytes(): number;
  /** Line ends so far. */
  lines(): number;
  /** After the last piece: closes the input. A second call returns the same result. Never rejects. */
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
  checkValues({ maxFileBytes }, SPILL_RULES);
  const sink = createSink({ archive, capacity: windowBytes(limits), maxBytes: maxFileBytes });
  const chunks = chunkBytes();
  let failure: string | undefined;
  let result: Promise<SpillResult> | undefined;
  const input = new Writable({
    decodeStrings: false,
    write(chunk: Uint8Array | string, encoding, done) {
      const written = sink.write(chunks.of(chunk, encoding));
      if (written === undefined) done();
      else void after(written, done);
    },
    destroy(error, done) {
      // Also without an error: what was still to be written is gone.
      if (error !== null || !this.writableFinished) {
        const why = error === null ? "" : ` (${errorMessage(error)})`;
        failure ??= `The output ended early${why}; only what came before is here.`;
      }
      done(null);
    },
  });

  const finish = async (): Promise<SpillResult> => {
    await Promise.allSettled([finished(input.end())]);
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
  return {
    input,
    bytes: () => sink.size(),
    lines: () => sink.lines(),
    finish: () => (result ??= finish()),
  };
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
    of(chunk: Uint8Array | string, encoding: BufferEncoding): Uint8Array {
      if (typeof chunk !== "string" || !/^utf-?8$/i.test(encoding)) {
        const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
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

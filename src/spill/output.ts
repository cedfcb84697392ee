import type { ChildProcess } from "node:child_process";
import { fdatasync, fstatSync, ftruncateSync, readSync } from "node:fs";
import { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SpillFile } from "../archive/index.ts";
import { countNewlines, partsOf, type Received, type Source } from "./cut.ts";
import { reasonOf, type Sink } from "./sink.ts";

/** A command's output on its way to the archive. */
export interface Output extends Source {
  /** For the command: a descriptor, or a pipe to be attached. */
  readonly target: number | "pipe";
  /** The file it goes into; `undefined` for a pipe. */
  readonly path: string | undefined;
  attach(child: ChildProcess | undefined): void;
  /** The bytes between two offsets, or the last of them where not all are held. */
  between(from: number, to: number): Uint8Array;
  /** After the command ended: takes in what has arrived, up to the limit. */
  settle(maxBytes: number): Promise<void>;
}

/** An output up to this size is read once, as a whole: to be counted, cut, searched and kept. */
const WHOLE_BYTES = 4_194_304;
const NEWLINE = 10;

/** The command has the archive's file as its stdout and stderr: no byte passes through Node. */
export function fileOutput(file: SpillFile, capacity: number): Output {
  const { fd, path } = file;
  let settled: number | undefined;
  let whole: Uint8Array | undefined;
  let ends: Received | undefined;
  const size = (): number => settled ?? fstatSync(fd).size;
  return {
    target: fd,
    path,
    attach: () => undefined,
    size,
    between: (from, to) => readRange(fd, from, to - from),
    async settle(maxBytes) {
      const written = fstatSync(fd).size;
      const bytes = Math.min(written, maxBytes);
      // Written beyond the limit before the command could be stopped.
      if (written > maxBytes) ftruncateSync(fd, maxBytes);
      settled = bytes;
      if (bytes <= Math.max(WHOLE_BYTES, 2 * capacity)) {
        whole = readRange(fd, 0, bytes);
        settled = whole.length;
        return;
      }
      const newlines = await countLineEnds(fd, bytes);
      const tail = readRange(fd, bytes - capacity, capacity);
      ends = { bytes, lines: linesOf(newlines, tail), head: readRange(fd, 0, capacity), tail };
    },
    read(direction) {
      if (whole === undefined) return ends ?? { bytes: size() };
      const lines = linesOf(countNewlines(whole), whole);
      return { bytes: whole.length, lines, ...partsOf(whole, { direction, capacity }) };
    },
    async keep() {
      try {
        return { entry: await file.commit(whole) };
      } catch (error) {
        return { notKept: reasonOf(error) };
      }
    },
    discard: () => file.discard(),
  };
}

/** A last line without a line end counts. */
function linesOf(newlines: number | undefined, end: Uint8Array): number | undefined {
  if (newlines === undefined) return undefined;
  return newlines + ((end.at(-1) ?? NEWLINE) === NEWLINE ? 0 : 1);
}

/**
 * Lines of a larger file are not counted: that would take as long as writing it, and half as much
 * again when both happen at once. 64 MB take some 30 ms.
 */
const MOST_COUNTED_BYTES = 67_108_864;
/** Small enough to be in the processor's cache still when it is counted. */
const BLOCK_BYTES = 262_144;
/** Other work gets its turn after so many. */
const BLOCKS_AT_ONCE = 16;

/** The line ends of a file up to an offset, counted while the disk takes it; `undefined` if it is too large. */
async function countLineEnds(fd: number, to: number): Promise<number | undefined> {
  if (to > MOST_COUNTED_BYTES) return undefined;
  const flushing = new Promise<void>((resolve) => fdatasync(fd, () => resolve()));
  const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  let newlines = 0;
  for (let at = 0, blocks = 1; at < to; blocks++) {
    const count = readSync(fd, block, 0, Math.min(BLOCK_BYTES, to - at), at);
    if (count === 0) break;
    newlines += countNewlines(block.subarray(0, count));
    at += count;
    if (blocks % BLOCKS_AT_ONCE === 0) await nextTurn();
  }
  await flushing;
  return newlines;
}

/** The bytes from an offset on, fewer where the file ends. */
function readRange(fd: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(fd, bytes, filled, length - filled, from + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/** So many turns of the event loop without a byte mean that the pipe is empty. */
const QUIET_TURNS = 2;
/** No system holds more in a pipe or a socket without being asked to. */
const MOST_IN_PIPE = 1_048_576;

/**
 * The command writes into a pipe: for disks that may fill up, and archives without files.
 * @param maxBytes Beyond so many bytes nothing is taken.
 */
export function pipeOutput(sink: Sink, maxBytes: number): Output {
  let sources: readonly Socket[] = [];
  let writing: Promise<void> | undefined;

  const take = (chunk: Buffer): void => {
    const room = maxBytes - sink.size();
    if (room <= 0) return;
    const written = sink.write(chunk.subarray(0, room));
    if (written !== undefined) writing = pauseDuring(written);
  };
  const pauseDuring = async (work: Promise<void>): Promise<void> => {
    for (const source of sources) source.pause();
    await work;
    for (const source of sources) source.resume();
  };
  /** Nobody listens any more, but a process in the background must not die of what it prints. */
  const release = (): void => {
    for (const source of sources) source.off("data", take).resume().unref();
  };
  return {
    target: "pipe",
    path: undefined,
    attach(child) {
      sources = [child?.stdout, child?.stderr].filter((source) => source instanceof Socket);
      for (const source of sources) source.on("data", take).on("error", () => undefined);
    },
    size: () => sink.size(),
    between(from, to) {
      const tail = sink.tail();
      const start = sink.size() - tail.length;
      return tail.subarray(Math.max(0, from - start), Math.max(0, to - start));
    },
    async settle() {
      // All that the command wrote is in the pipe by now; a process in the background may go on.
      const most = sink.size() + MOST_IN_PIPE;
      for (let quiet = 0; quiet < QUIET_TURNS && sink.size() < most; quiet++) {
        const before = sink.size();
        await writing;
        await nextTurn();
        if (sink.size() !== before) quiet = -1;
      }
      await writing;
      release();
    },
    read: (direction) => sink.read(direction),
    keep: () => sink.keep(),
    discard() {
      release();
      return sink.discard();
    },
  };
}

/** The progress of a command. */
export interface Progress {
  readonly bytes: number;
  readonly elapsedMs: number;
  /** The newest bytes since the last call, at most 64 KB. */
  readonly latest: Uint8Array;
  /** Bytes since the last call that are not in `latest`. */
  readonly skipped: number;
}

const MOST_LATEST_BYTES = 65_536;

interface ReporterOptions {
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** Bytes beyond this number are no part of the output. */
  readonly maxBytes: number;
}

/** A function that reports an output to a callback; it does nothing when nobody listens. */
export function reporter(output: Output, { onProgress, maxBytes }: ReporterOptions): () => void {
  const startedAt = performance.now();
  let reported = 0;
  return () => {
    if (onProgress === undefined) return;
    // Asked once: the command goes on writing while we look.
    const bytes = Math.min(output.size(), maxBytes);
    // The command emptied its own output.
    if (bytes < reported) reported = 0;
    const latest = output.between(Math.max(reported, bytes - MOST_LATEST_BYTES), bytes);
    const skipped = bytes - reported - latest.length;
    reported = bytes;
    const elapsedMs = performance.now() - startedAt;
    try {
      const shown: unknown = onProgress({ bytes, elapsedMs, latest, skipped });
      if (shown instanceof Promise) shown.catch(() => undefined);
    } catch {
      // A listener must not be able to stop a command.
    }
  };
}

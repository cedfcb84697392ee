import { ftruncateSync } from "node:fs";
import type { SpillFile } from "../archive/index.ts";
import { countNewlines } from "./count-newlines.ts";
import { guardFile } from "./guard-file.ts";
import { followFile, readRange, sizeOf } from "./follow-file.ts";
import type { Output } from "./output.ts";
import { partsOf, type Received } from "./received.ts";
import { reasonOf } from "./spool.ts";

/** What is no larger is read once, as a whole: to be counted, cut, searched and kept. */
const WHOLE_BYTES = 4_194_304;
const NEWLINE = 10;

/** The command has the archive's file as its stdout and stderr: no byte passes through Node. */
export function fileOutput(file: SpillFile, capacity: number): Output {
  const { fd, path } = file;
  const follower = followFile(fd);
  let settled: number | undefined;
  let whole: Uint8Array | undefined;
  let ends: Received | undefined;
  const size = (): number => settled ?? sizeOf(fd);
  return {
    target: fd,
    path,
    attach: () => undefined,
    size,
    lines: (to) => follower.newlines(to),
    between: (from, to) => readRange(fd, from, to - from),
    async settle(maxBytes) {
      const written = sizeOf(fd);
      const bytes = Math.min(written, maxBytes);
      // What was written beyond the limit before the command could be stopped.
      if (written > maxBytes) ftruncateSync(fd, maxBytes);
      settled = bytes;
      if (bytes <= Math.max(WHOLE_BYTES, 2 * capacity)) {
        whole = readRange(fd, 0, bytes);
        settled = whole.length;
        return;
      }
      const newlines = await follower.finish(bytes);
      const head = readRange(fd, 0, capacity);
      const tail = readRange(fd, bytes - capacity, capacity);
      ends = { bytes, ...linesOf(newlines, tail), head, tail };
    },
    leave: (isWritten) => guardFile(path, { bytes: size(), isWritten }),
    read(direction) {
      if (whole === undefined) return ends ?? { bytes: size() };
      const lines = linesOf(countNewlines(whole), whole);
      return { bytes: whole.length, ...lines, ...partsOf(whole, { direction, capacity }) };
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
function linesOf(newlines: number | undefined, end: Uint8Array): { readonly lines?: number } {
  if (newlines === undefined) return {};
  const last = end.at(-1) ?? NEWLINE;
  return { lines: newlines + (last === NEWLINE ? 0 : 1) };
}

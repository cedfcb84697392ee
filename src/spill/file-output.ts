import { ftruncateSync } from "node:fs";
import type { SpillFile } from "../archive/index.ts";
import { followFile, readRange, sizeOf } from "./follow-file.ts";
import type { Output, Received } from "./output.ts";
import { reasonOf } from "./receive.ts";

/** What is at most this large is read as a whole where both ends are wanted: its middle is searched. */
const SEARCHED_BYTES = 4_194_304;
const NEWLINE = 10;

/** The command has the archive's file as its stdout and stderr: no byte passes through Node. */
export function fileOutput(file: SpillFile, capacity: number): Output {
  const { fd, path } = file;
  const follower = followFile(fd);
  let settled: number | undefined;
  const size = (): number => settled ?? sizeOf(fd);
  return {
    target: fd,
    path,
    attach: () => undefined,
    size,
    lines() {
      follower.count();
      return follower.newlines();
    },
    latest: (from, most) => readRange(fd, Math.max(from, size() - most), most),
    async settle(maxBytes) {
      settled = Math.min(sizeOf(fd), maxBytes);
      // What was written beyond the limit before the command could be stopped.
      if (sizeOf(fd) > maxBytes) ftruncateSync(fd, maxBytes);
      await follower.finish(settled);
    },
    read(direction) {
      const bytes = size();
      const most = Math.max(2 * capacity, direction === "both" ? SEARCHED_BYTES : 0);
      const lines = totalLines(fd, bytes, follower.newlines());
      const ends =
        bytes > most ? readEnds(fd, bytes, capacity) : { whole: readRange(fd, 0, bytes) };
      return { bytes, ...(lines !== undefined && { lines }), ...ends };
    },
    async finish(keep) {
      if (!keep) {
        await file.discard();
        return {};
      }
      try {
        return { entry: await file.commit() };
      } catch (error) {
        return { notKept: reasonOf(error) };
      }
    },
  };
}

/** A last line without a line end counts. */
function totalLines(fd: number, bytes: number, newlines: number | undefined): number | undefined {
  const isOpen = bytes > 0 && readRange(fd, bytes - 1, 1)[0] !== NEWLINE;
  return newlines === undefined ? undefined : newlines + (isOpen ? 1 : 0);
}

function readEnds(fd: number, bytes: number, capacity: number): Pick<Received, "head" | "tail"> {
  return {
    head: readRange(fd, 0, capacity),
    tail: readRange(fd, bytes - capacity, capacity),
  };
}

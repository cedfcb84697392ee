import { ftruncateSync } from "node:fs";
import type { SpillFile } from "../archive/index.ts";
import { followFile, readRange, sizeOf } from "./follow-file.ts";
import type { Output } from "./output.ts";
import { reasonOf } from "./receive.ts";

/** What is at most this large is read as a whole for its preview. */
const WHOLE_BYTES = 4_194_304;

/** The command has the archive's file as its stdout and stderr: no byte passes through Node. */
export function fileOutput(file: SpillFile, capacity: number): Output {
  const follower = followFile(file.fd);
  let settled: number | undefined;
  const size = (): number => settled ?? sizeOf(file.fd);
  return {
    target: file.fd,
    path: file.path,
    attach: () => undefined,
    size,
    lines: () => follower.newlines(),
    poke: () => follower.poke(),
    latest: (from, most) => readRange(file.fd, Math.max(from, size() - most), most),
    async settle(maxBytes) {
      settled = Math.min(sizeOf(file.fd), maxBytes);
      // What was written beyond the limit before the command could be stopped.
      if (sizeOf(file.fd) > maxBytes) ftruncateSync(file.fd, maxBytes);
      await follower.catchUp(settled);
    },
    read() {
      const bytes = size();
      const whole = bytes <= Math.max(WHOLE_BYTES, 2 * capacity);
      const last = bytes === 0 ? 10 : readRange(file.fd, bytes - 1, 1)[0];
      return {
        bytes,
        lines: follower.newlines() + (last === 10 ? 0 : 1),
        ...(whole
          ? { whole: readRange(file.fd, 0, bytes) }
          : {
              head: readRange(file.fd, 0, capacity),
              tail: readRange(file.fd, bytes - capacity, capacity),
            }),
      };
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

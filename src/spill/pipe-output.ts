import type { ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { NamedPipe } from "./named-pipe.ts";
import type { Output } from "./output.ts";
import type { Receiver } from "./receive.ts";

/** So many turns of the event loop without a byte mean that the pipe is empty. */
const QUIET_TURNS = 2;

/** No system holds more in a pipe or a socket without being asked to. */
const MOST_IN_PIPE = 1_048_576;

export interface PipeOptions {
  /** What comes after so many bytes is not taken. */
  readonly maxBytes: number;
  /** @default one between Node and the command */
  readonly pipe: NamedPipe | undefined;
}

/** The command writes into a pipe: for disks that may fill up, and archives without files. */
export function pipeOutput(receiver: Receiver, { maxBytes, pipe }: PipeOptions): Output {
  let sources: readonly Socket[] = [];
  let writing: Promise<void> | undefined;

  const take = (chunk: Buffer): void => {
    const room = maxBytes - receiver.size();
    if (room <= 0) return;
    const written = receiver.write(chunk.subarray(0, room));
    if (written === undefined) return;
    writing = pauseDuring(written);
  };
  const pauseDuring = async (work: Promise<void>): Promise<void> => {
    for (const source of sources) source.pause();
    await work;
    for (const source of sources) source.resume();
  };
  /** Nobody listens any more, but a process in the background must not die of what it prints. */
  const release = (): void => {
    for (const source of sources) source.off("data", take).resume().unref();
    if (sources.length === 0) pipe?.close();
  };
  return {
    target: pipe?.fd ?? "pipe",
    path: undefined,
    attach(child: ChildProcess | undefined) {
      pipe?.closeWriter();
      const all: readonly unknown[] =
        pipe === undefined ? [child?.stdout, child?.stderr] : [pipe.source];
      sources = all.filter((source) => source instanceof Socket);
      for (const source of sources) source.on("data", take).on("error", () => undefined);
    },
    size: () => receiver.size(),
    lines: () => receiver.lines(),
    between(from, to) {
      const tail = receiver.tail();
      const start = receiver.size() - tail.length;
      return tail.subarray(Math.max(0, from - start), Math.max(0, to - start));
    },
    async settle() {
      // What the command wrote is in the pipe by now; a process in the background may go on and on.
      const most = receiver.size() + MOST_IN_PIPE;
      for (let quiet = 0; quiet < QUIET_TURNS && receiver.size() < most; quiet++) {
        const before = receiver.size();
        await writing;
        await nextTurn();
        if (receiver.size() !== before) quiet = -1;
      }
      await writing;
      release();
    },
    leave: () => undefined,
    read: (direction) => receiver.read(direction),
    keep() {
      release();
      return receiver.keep();
    },
    discard() {
      release();
      return receiver.discard();
    },
  };
}

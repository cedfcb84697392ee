import type { ChildProcess } from "node:child_process";
import type { Direction } from "../core/truncate/index.ts";
import type { Received } from "./received.ts";
import type { Kept } from "./spool.ts";

/** Where a command's output goes, and what can be read of it. */
export interface Output {
  /** For the command: a descriptor, or a pipe to be attached. */
  readonly target: number | "pipe";
  /** The file it goes into; `undefined` for a pipe. */
  readonly path: string | undefined;
  attach(child: ChildProcess | undefined): void;
  /** Bytes so far. */
  size(): number;
  /** Line ends before an offset that `size` gave; `undefined` when these are too many bytes to count. */
  lines(to: number): number | undefined;
  /** The bytes between two offsets, or the last of them where not all are held. */
  between(from: number, to: number): Uint8Array;
  /** After the command ended: takes in what has arrived, up to the limit. */
  settle(maxBytes: number): Promise<void>;
  /** After that, when something in the background may still print. */
  leave(isWritten: () => boolean): void;
  /** What a preview is made of, also while it is kept. */
  read(direction: Direction): Received;
  /** Keeps the whole in the archive. Never rejects. */
  keep(): Promise<Kept>;
  /** Leaves nothing behind. Never rejects. */
  discard(): Promise<void>;
}

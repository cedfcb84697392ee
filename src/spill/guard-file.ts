import { closeSync, ftruncateSync, openSync } from "node:fs";
import { sizeOf } from "./follow-file.ts";

export interface GuardOptions {
  /** The size that the file has, and gets back. */
  readonly bytes: number;
  /** Whether somebody may still write into it. */
  readonly isWritten: () => boolean;
}

/** Nobody reads more of what is printed into a file that is an original by now, or has no name. */
const MOST_MORE_BYTES = 67_108_864;
const LOOK_MS = 100;

/**
 * Keeps a file that a process in the background writes into from filling the disk: beyond 64 MB it
 * gets back the size that it has now. Ends with the last writer, and keeps no process alive.
 */
export function guardFile(path: string, { bytes, isWritten }: GuardOptions): void {
  const fd = openToCut(path);
  if (fd === undefined) return;
  const look = (): void => {
    if (!isWritten()) return closeSync(fd);
    if (sizeOf(fd) - bytes > MOST_MORE_BYTES) ftruncateSync(fd, bytes);
    plan();
  };
  const plan = (): void => void setTimeout(look, LOOK_MS).unref();
  plan();
}

function openToCut(path: string): number | undefined {
  try {
    return openSync(path, "r+");
  } catch {
    return undefined;
  }
}

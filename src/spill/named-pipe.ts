import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A pipe of the kernel, which Node itself cannot make: its own "pipes" are sockets. */
export interface NamedPipe {
  /** For the process that writes. */
  readonly fd: number;
  readonly source: Socket;
  /** Once the writer has its own descriptor. */
  closeWriter(): void;
  /** When there is no writer after all. */
  close(): void;
}

/** `undefined` where there are no such pipes, or no room for one. */
export async function openNamedPipe(): Promise<NamedPipe | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "longhaul-pipe-")).catch(() => undefined);
  if (folder === undefined) return undefined;
  try {
    const path = join(folder, "output");
    await promisify(execFile)("mkfifo", ["-m", "600", path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const fd = openSync(path, constants.O_WRONLY);
    const source = new Socket({ fd: reader, readable: true, writable: false });
    const closeWriter = (): void => closeSync(fd);
    const close = (): void => {
      closeWriter();
      source.destroy();
    };
    return { fd, source, closeWriter, close };
  } catch {
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const OWN_OUTPUT = /\/dev\/(?:std(?:out|err)\b|fd\/[12]\b)|\/proc\/self\/fd\//;

/**
 * Whether a command opens its own output by name. Opening a file that way empties it, and a socket
 * cannot be opened at all; only a pipe stays what it is.
 */
export function reopensOutput(words: readonly string[]): boolean {
  return words.some((word) => OWN_OUTPUT.test(word));
}

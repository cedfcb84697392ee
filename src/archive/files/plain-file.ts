import { closeSync, constants, fstatSync, lstatSync, openSync, read, readSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { errorCode, systemError } from "../archive-error.ts";
import type { OriginalReader } from "../archive.ts";

const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** Looking through an archive is no use of what is in it; only Linux can tell the difference. */
const UNNOTICED = constants.O_NOATIME ?? 0;
/** Giving so little to another thread takes longer than reading it. */
const SMALL_BYTES = 262_144;

const readAt = promisify(read);

/**
 * A plain file to be read in pieces; `undefined` if it is not there. Symbolic links, and whatever
 * else is no plain file, are errors.
 */
export async function openPlainFile(path: string): Promise<OriginalReader | undefined> {
  const fd = openIfThere(path);
  if (fd === undefined) return undefined;
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw systemError("EEXIST", path);
    return readerOf(fd, stats.size);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function openIfThere(path: string): number | undefined {
  try {
    if (lstatSync(dirname(path)).isSymbolicLink()) throw systemError("ELOOP", path);
    return openUnnoticed(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Only the owner may read without its being noticed. */
function openUnnoticed(path: string): number {
  try {
    return openSync(path, READ | UNNOTICED);
  } catch (error) {
    if (errorCode(error) !== "EPERM") throw error;
    return openSync(path, READ);
  }
}

function readerOf(fd: number, bytes: number): OriginalReader {
  let isOpen = true;
  return {
    bytes,
    async read(from, into) {
      if (bytes <= SMALL_BYTES) return readSync(fd, into, 0, into.length, from);
      const { bytesRead } = await readAt(fd, into, 0, into.length, from);
      return bytesRead;
    },
    async close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

import { closeSync, fstatSync, read } from "node:fs";
import { promisify } from "node:util";
import { handleFor, type Handle } from "../core/message/handle.ts";
import { archiveFailure, attempt } from "./archive-error.ts";
import type { ArchiveEntry, SpillFile } from "./archive.ts";
import { temporaryPath } from "./conversation.ts";
import { randomDigits, sha256OfBytes } from "./digest.ts";
import { createSharedFile, makeFolder, removeFile, syncData, writeFile } from "./files.ts";

/** A larger file is not read again to be hashed: that would take longer than writing it. */
const ADDRESSED_MAX_BYTES = 1_048_576;

/** An archive's side of a spill. */
export interface SpillTarget {
  /** The folder of the conversation; made if it is not there. */
  readonly folder: string;
  /**
   * Gives a written and synced file its handle; the file keeps its old name as well.
   * @param bytes What is in it, where that may have been stored before.
   */
  adopt(handle: Handle, file: string, bytes?: Uint8Array): Promise<ArchiveEntry>;
}

/** A new file in a conversation's folder. Rejects with `archive-failed`. */
export async function openSpill(target: SpillTarget): Promise<SpillFile> {
  const path = temporaryPath(target.folder, "spill");
  const fd = await attempt("create", path, async () => {
    await makeFolder(target.folder);
    return createSharedFile(path);
  });
  let ending: Promise<ArchiveEntry | undefined> | undefined;
  const end = async (
    work: () => Promise<ArchiveEntry | undefined>,
  ): Promise<ArchiveEntry | undefined> => {
    try {
      return await work();
    } finally {
      closeSync(fd);
      removeFile(path);
    }
  };
  return {
    path,
    fd,
    async commit(whole) {
      ending ??= end(() => attempt("keep", path, () => commitFile(target, { fd, path, whole })));
      const entry = await ending;
      if (entry === undefined) throw archiveFailure("keep", path, discarded());
      return entry;
    },
    async discard() {
      ending ??= end(async () => undefined);
      await ending.catch(() => undefined);
    },
  };
}

interface Spilled {
  readonly fd: number;
  readonly path: string;
  readonly whole: Uint8Array | undefined;
}

async function commitFile(target: SpillTarget, spilled: Spilled): Promise<ArchiveEntry> {
  const { fd, path, whole } = spilled;
  const size = whole?.length ?? fstatSync(fd).size;
  if (size <= ADDRESSED_MAX_BYTES) return keepCopy(target, whole ?? (await readStart(fd, size)));
  await syncData(fd);
  return target.adopt(handleFor("run", "", randomDigits), path);
}

/** A copy, which a background process that still writes cannot change any more. */
async function keepCopy(target: SpillTarget, bytes: Uint8Array): Promise<ArchiveEntry> {
  const copy = temporaryPath(target.folder, "write");
  try {
    // On its way to the disk while it gets its name.
    const written = writeFile(copy, [bytes]);
    const digits = sha256OfBytes(bytes);
    await written;
    return await target.adopt(
      handleFor("out", "", () => digits),
      copy,
      bytes,
    );
  } finally {
    removeFile(copy);
  }
}

const readInto = promisify(read);

/** The first bytes of a file, wherever its offset stands. */
async function readStart(fd: number, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await readInto(fd, bytes, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

function discarded(): Error {
  return Object.assign(new Error("the file was discarded"), { code: "ENOENT" });
}

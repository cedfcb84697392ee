import { createHash, randomBytes } from "node:crypto";
import { unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { handleFor } from "../core/handle/index.ts";
import type { Handle } from "../core/handle/index.ts";
import { archiveFailure, attempt } from "./archive-error.ts";
import type { ArchiveEntry, SpillFile } from "./archive.ts";
import { createOpenFile } from "./durable-file.ts";
import { ownHolder } from "./holder.ts";
import { spillName } from "./layout.ts";

/** What is larger is not read again to be hashed: that would take longer than writing it. */
export const ADDRESSED_MAX_BYTES = 1_048_576;

/** How an archive stores what was spilled. */
export interface SpillTarget {
  readonly root: string;
  /** Makes that folder if it is not there. */
  make(): Promise<void>;
  /** Stores bytes under their own handle. */
  store(handle: Handle, bytes: Buffer): Promise<ArchiveEntry>;
  /** Gives a written and synced file its handle; the file keeps its old name as well. */
  adopt(handle: Handle, file: string): Promise<ArchiveEntry>;
}

/** A new file in the archive's folder. Rejects with `archive-failed`. */
export async function openSpill(target: SpillTarget): Promise<SpillFile> {
  const path = join(target.root, spillName(ownHolder(), randomBytes(8).toString("hex")));
  const file = await attempt("create", path, async () => {
    await target.make();
    return createOpenFile(path);
  });
  let ending: Promise<ArchiveEntry | undefined> | undefined;
  const end = async (
    work: () => Promise<ArchiveEntry | undefined>,
  ): Promise<ArchiveEntry | undefined> => {
    try {
      return await work();
    } finally {
      await file.close().catch(() => undefined);
      await unlink(path).catch(() => undefined);
    }
  };
  return {
    path,
    fd: file.fd,
    async commit() {
      ending ??= end(() => attempt("keep", path, () => commitFile(target, { file, path })));
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
  readonly file: FileHandle;
  readonly path: string;
}

async function commitFile(target: SpillTarget, { file, path }: Spilled): Promise<ArchiveEntry> {
  const { size } = await file.stat();
  if (size <= ADDRESSED_MAX_BYTES) {
    // A copy: a background process that still writes must not change what has this handle.
    const bytes = await readStart(file, size);
    const digits = createHash("sha256").update(bytes).digest("hex");
    return target.store(
      handleFor("out", "", () => digits),
      bytes,
    );
  }
  await file.sync();
  return target.adopt(
    handleFor("run", "", () => randomBytes(8).toString("hex")),
    path,
  );
}

/** The first bytes of a file, wherever its offset stands. */
async function readStart(file: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let read = 0;
  while (read < size) {
    const { bytesRead } = await file.read(bytes, read, size - read, read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}

function discarded(): Error {
  return Object.assign(new Error("the file was discarded"), { code: "ENOENT" });
}

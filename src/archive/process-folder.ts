import type { FileArchive } from "./archive.ts";
import { systemError } from "./archive-error.ts";
import { conversationFolder, createUses } from "./conversation.ts";
import { randomDigits } from "./digest.ts";
import { directoryArchive } from "./directory.ts";
import { makeFolder } from "./files.ts";
import { archiveFolder } from "./home.ts";
import { memoryArchive } from "./memory.ts";
import { openOriginal } from "./reading.ts";

/** Half of the least time for which a collection spares what was used. */
const RENEW_EVERY_MS = 30 * 60 * 1_000;

/**
 * A folder for `owner`, an archive in this process. While the owner is there, its time is renewed, so
 * that no collection takes it; afterwards it goes as every conversation without a journal does.
 */
export async function openOwn(owner: object): Promise<Required<FileArchive>> {
  const root = archiveFolder(process.env);
  const conversation = `process-${process.pid}-${randomDigits()}`;
  const folder = conversationFolder(root, conversation);
  try {
    await makeFolder(folder);
  } catch {
    return inMemory();
  }
  const use = createUses(folder);
  const held = new WeakRef(owner);
  const timer = setInterval(() => {
    if (held.deref() === undefined) clearInterval(timer);
    else void use("read").catch(() => undefined);
  }, RENEW_EVERY_MS);
  timer.unref();
  return directoryArchive(root, { conversation }) as Required<FileArchive>;
}

/** For a process that may write nothing. */
function inMemory(): Required<FileArchive> {
  const archive = memoryArchive() as Required<FileArchive>;
  return {
    ...archive,
    read: (handle) => openOriginal(archive, handle),
    open: async () => {
      throw systemError("EROFS", archiveFolder(process.env));
    },
  };
}

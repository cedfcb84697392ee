import { resolve } from "node:path";
import { isHandle } from "../core/message/handle.ts";
import { attempt } from "./archive-error.ts";
import { type Archive, type ArchiveEntry, checkedHandle } from "./archive.ts";
import { byTime, conversationFolders } from "./conversation.ts";
import { directoryArchive, folderArchive } from "./directory.ts";
import { openOriginal } from "./reading.ts";

/**
 * Reads what all conversations archived in `folder`: for the person whose archive it is, never for
 * an agent. What is stored through it belongs to the default conversation.
 */
export function everyConversation(folder: string): Archive {
  const root = resolve(folder);
  const own = directoryArchive(root, { retention: false, observe: true });
  const archives = async (): Promise<readonly Archive[]> => {
    const folders = await attempt("list", root, () => conversationFolders(root));
    return folders.map((each) => folderArchive({ own: each, isObserved: true }));
  };
  /** Where the last list found which handle. */
  const listed = new Map<string, Archive>();
  /** The archive of the first conversation that has the handle. */
  const archiveOf = async (handle: string): Promise<Archive> => {
    checkedHandle(handle);
    const known = listed.get(handle);
    if (known !== undefined) return known;
    for (const archive of await archives()) if (await archive.has(handle)) return archive;
    return own;
  };
  return {
    name: "directory",
    put: (kind, content) => own.put(kind, content),
    get: async (handle) => (await archiveOf(handle)).get(handle),
    has: async (handle) => isHandle(handle) && (await archiveOf(handle)).has(handle),
    read: async (handle) => openOriginal(await archiveOf(handle), handle),
    async list() {
      const entries: ArchiveEntry[] = [];
      listed.clear();
      for (const archive of await archives()) {
        for (const entry of await archive.list()) {
          if (listed.has(entry.handle)) continue;
          listed.set(entry.handle, archive);
          entries.push(entry);
        }
      }
      return entries.sort(byTime);
    },
  };
}

import { resolve } from "node:path";
import { isContextError } from "../core/error.ts";
import { attempt } from "./archive-error.ts";
import { type Archive, checkedHandle } from "./archive.ts";
import {
  conversationFolders,
  entriesOf,
  type OriginalFile,
  originalsAmong,
  ownFiles,
} from "./conversation.ts";
import { directoryArchive } from "./directory.ts";
import { folderArchive } from "./folder-archive.ts";
import { openOriginal } from "./reading.ts";

/**
 * Reads what all conversations archived in `folder`: for the person whose archive it is, never for
 * an agent. What is stored through it belongs to the default conversation.
 */
export function everyConversation(folder: string): Archive {
  const root = resolve(folder);
  const own = directoryArchive(root, { retention: false, observe: true });
  const folders = (): Promise<readonly string[]> =>
    attempt("list", root, () => conversationFolders(root));
  /** Where the last list found which handle. */
  const known = new Map<string, string>();
  const archives = new Map<string, Archive>();
  const archiveIn = (place: string): Archive => {
    const archive = archives.get(place) ?? folderArchive({ own: place, isObserved: true });
    archives.set(place, archive);
    return archive;
  };
  /** The archive of the first conversation that has the handle. */
  const archiveOf = async (handle: string): Promise<Archive> => {
    checkedHandle(handle);
    const listed = known.get(handle);
    if (listed !== undefined) return archiveIn(listed);
    for (const place of await folders()) {
      if (await archiveIn(place).has(handle)) return archiveIn(place);
    }
    return own;
  };
  return {
    name: "directory",
    put: (kind, content) => own.put(kind, content),
    get: async (handle) => (await archiveOf(handle)).get(handle),
    has: (handle) =>
      archiveOf(handle).then(
        (archive) => archive.has(handle),
        (error: unknown) => {
          if (isContextError(error) && error.code === "unknown-handle") return false;
          throw error;
        },
      ),
    read: async (handle) => openOriginal(await archiveOf(handle), handle),
    list: () =>
      attempt("list", root, async () => {
        const files = new Map<string, OriginalFile>();
        known.clear();
        for (const place of await folders()) {
          for (const file of originalsAmong(await ownFiles(place))) {
            if (files.has(file.handle)) continue;
            files.set(file.handle, file);
            known.set(file.handle, place);
          }
        }
        return entriesOf([...files.values()]);
      }),
  };
}

import { basename, resolve } from "node:path";
import { type Handle, isHandle } from "../core/message/handle.ts";
import { attempt, missingOriginal } from "./archive-error.ts";
import { type Archive, type ArchiveEntry, byTime, checkedHandle, type Sought } from "./archive.ts";
import { conversationFolders, pathOf } from "./conversation.ts";
import { directoryArchive, folderArchive } from "./directory.ts";
import { fileStats } from "./files.ts";
import { openOriginal } from "./reading.ts";

export interface OriginalPlace {
  /** The folder's name, which is the conversation's id or begins with it. */
  readonly conversation: string;
  readonly path: string;
  readonly bytes: number;
  /** In ms since the epoch. */
  readonly storedAt: number;
}

/** The first conversation archived in `folder` that has an original; `undefined` if none has. */
export async function placeOf(folder: string, handle: Handle): Promise<OriginalPlace | undefined> {
  for (const own of await conversationFolders(resolve(folder))) {
    const path = pathOf(own, handle);
    const stats = fileStats(path);
    if (stats === undefined) continue;
    const { size: bytes, mtimeMs: storedAt } = stats;
    return { conversation: basename(own), path, bytes, storedAt };
  }
  return undefined;
}

/**
 * Reads all conversations archived in `folder`, or those whose names begin with `prefix`: for the
 * person whose archive it is, never for an agent. An original that is stored through it belongs to
 * the default conversation.
 */
export function everyConversation(folder: string, prefix = ""): Archive {
  const root = resolve(folder);
  const own = directoryArchive(root, { retention: false, observe: true });
  return over(own, async () => {
    const folders = await attempt("list", root, () => conversationFolders(root));
    const meant = folders.filter((each) => basename(each).startsWith(prefix));
    return meant.map((each) => folderArchive({ own: each, isObserved: true }));
  });
}

/** The same for an archive that knows the ids of its conversations; of those that may hold a text, if one is sought. */
export function everyIn(archive: Archive, prefix = "", holding?: Sought): Archive {
  return over(archive, async () => {
    const ids = (await archive.conversations?.(holding)) ?? [];
    const meant = ids.filter((id) => id.startsWith(prefix));
    return meant.map((id) => archive.conversation?.(id) ?? archive);
  });
}

/** All of these archives as one, whose own conversation takes what is stored. */
function over(own: Archive, archives: () => Promise<readonly Archive[]>): Archive {
  /** The holder of each handle in the last list. */
  const listed = new Map<string, Archive>();
  const holderOf = async (handle: string): Promise<Archive | undefined> => {
    const known = listed.get(checkedHandle(handle));
    if (known !== undefined) return known;
    for (const archive of await archives()) if (await archive.has(handle)) return archive;
    return undefined;
  };
  const archiveOf = async (handle: string): Promise<Archive> => {
    const holder = await holderOf(handle);
    if (holder === undefined) throw missingOriginal(checkedHandle(handle));
    return holder;
  };
  return {
    name: own.name,
    put: (kind, content) => own.put(kind, content),
    get: async (handle) => (await archiveOf(handle)).get(handle),
    has: async (handle) => isHandle(handle) && (await holderOf(handle)) !== undefined,
    read: async (handle) => openOriginal(await archiveOf(handle), handle),
    async mayHold(pattern, isRegex) {
      const all = new Set<Handle>();
      for (const archive of new Set(listed.values())) {
        const held = await archive.mayHold?.(pattern, isRegex);
        if (held === undefined) return undefined;
        for (const handle of held) all.add(handle);
      }
      return all;
    },
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

import { resolve } from "node:path";
import { isContextError } from "../core/error.ts";
import { attempt } from "./archive-error.ts";
import type { Archive } from "./archive.ts";
import { directoryArchive } from "./directory.ts";
import { checkedHandle } from "./original.ts";
import {
  conversationFolders,
  entriesOfFiles,
  type OriginalFile,
  originalFiles,
} from "./files/list-files.ts";

const WITHOUT_TRACE = { retention: false, observe: true } as const;

/**
 * Reads what all conversations archived in `folder`: for the person whose archive it is, never for
 * an agent. What is stored through it belongs to the default conversation.
 */
export function everyConversation(folder: string): Archive {
  const root = resolve(folder);
  const own = directoryArchive(root, WITHOUT_TRACE);
  const folders = (): Promise<readonly string[]> =>
    attempt("list", root, () => conversationFolders(root));
  const archives = new Map<string, Archive>();
  const archiveIn = (each: string): Archive => {
    const archive = archives.get(each) ?? directoryArchive(each, WITHOUT_TRACE);
    archives.set(each, archive);
    return archive;
  };
  /** Where the last list found what. */
  const known = new Map<string, string>();
  /** What the first conversation that has the handle answers. */
  const first = async <T>(handle: string, ask: (archive: Archive) => Promise<T>): Promise<T> => {
    checkedHandle(handle);
    const listed = known.get(handle);
    if (listed !== undefined) return ask(archiveIn(listed));
    for (const each of await folders()) {
      const archive = archiveIn(each);
      if (await archive.has(handle)) return ask(archive);
    }
    return ask(own);
  };
  return {
    name: "directory",
    put: (kind, content) => own.put(kind, content),
    get: (handle) => first(handle, (archive) => archive.get(handle)),
    has: (handle) =>
      first(handle, (archive) => archive.has(handle)).catch((error: unknown) => {
        if (isContextError(error) && error.code === "unknown-handle") return false;
        throw error;
      }),
    read: (handle, options) =>
      first(handle, (archive) => (archive.read as NonNullable<Archive["read"]>)(handle, options)),
    list: () =>
      attempt("list", root, async () => {
        const files = new Map<string, OriginalFile>();
        known.clear();
        for (const each of await folders()) {
          for (const file of await originalFiles(each)) {
            if (files.has(file.handle)) continue;
            files.set(file.handle, file);
            known.set(file.handle, each);
          }
        }
        return entriesOfFiles([...files.values()]);
      }),
  };
}

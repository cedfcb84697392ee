import type { Archive, FileArchive } from "./archive.ts";

/**
 * The archive of a context that was given none, in Node: a folder of its own in the archive of the
 * state folder, made with the first original; in memory where it cannot be made. The code for it is
 * loaded then.
 */
export function ownArchive(): Archive {
  let opened: Promise<Required<FileArchive>> | undefined;
  const own = (): Promise<Required<FileArchive>> =>
    (opened ??= import("./process-folder.ts").then((it) => it.openOwn(archive)));
  const archive: Required<FileArchive> = {
    name: "directory",
    put: async (kind, content, handle) => (await own()).put(kind, content, handle),
    putPieces: async (handle, pieces) => (await own()).putPieces(handle, pieces),
    get: async (handle) => (await own()).get(handle),
    has: async (handle) => (await own()).has(handle),
    list: async () => (await own()).list(),
    read: async (handle) => (await own()).read(handle),
    open: async (kind) => (await own()).open(kind),
  };
  return archive;
}

import { ContextError } from "../core/error.ts";
import type { Archive, ArchiveJournal, FileArchive, Originals } from "./archive.ts";
import type { OpenArchive } from "./open.ts";

/** The originals of an archive that is opened with its first use; its code is loaded then. */
function late(open: () => Promise<Archive>): Originals {
  // The archives of this package have all of it.
  const own = open as () => Promise<Originals>;
  return {
    put: async (kind, content, handle) => (await own()).put(kind, content, handle),
    putPieces: async (handle, pieces) => (await own()).putPieces(handle, pieces),
    get: async (handle) => (await own()).get(handle),
    has: async (handle) => (await own()).has(handle),
    list: async () => (await own()).list(),
    read: async (handle) => (await own()).read(handle),
  };
}

/**
 * The archive of a context that was given none, in Node: a folder of its own in the archive of the
 * state folder, made with the first original; in memory where it cannot be made.
 */
export function ownArchive(): Archive {
  let opened: Promise<Required<FileArchive>> | undefined;
  const own = (): Promise<Required<FileArchive>> =>
    (opened ??= import("./process-folder.ts").then((it) => it.openOwn(archive)));
  const archive: Required<FileArchive> = {
    name: "directory",
    ...late(own),
    open: async (kind) => (await own()).open(kind),
  };
  return archive;
}

/** Archives by their addresses: contexts of one address share its connections. */
const opened = new Map<string, Promise<OpenArchive>>();

/** The archive of many machines at an address. Throws `invalid-options` for a text that is none. */
export function archiveAt(address: string): Archive {
  const [, scheme = ""] = /^(postgres(?:ql)?|s3):\/\//i.exec(address) ?? [];
  if (scheme === "" || !URL.canParse(address)) {
    const isSecret = /[:@=\s]/.test(address);
    const shown = isSecret ? "a text that may hold a password" : JSON.stringify(address);
    const message = `The option archive is ${shown}; it must be an archive, e.g. directoryArchive(folder), or an address, postgres://user@host/database or s3://bucket/prefix.`;
    throw new ContextError("invalid-options", message, { details: { option: "archive" } });
  }
  const open = (): Promise<OpenArchive> => {
    const known = opened.get(address) ?? import("./open.ts").then((it) => it.openArchive(address));
    opened.set(address, known);
    return known;
  };
  const part = (own: () => Promise<Archive>): Archive => ({
    name: scheme.toLowerCase(),
    ...late(own),
    mayHold: async (pattern, isRegex) => (await own()).mayHold?.(pattern, isRegex),
    conversations: async (holding) => (await open()).conversations(holding),
    conversation(id) {
      let conversation: Promise<Archive> | undefined;
      return part(() => (conversation ??= open().then((it) => it.conversation(id))));
    },
    journal: lateJournal(own),
  });
  return part(open);
}

function lateJournal(open: () => Promise<Archive>): ArchiveJournal {
  // The journals of many machines have all of it.
  const own = async (): Promise<Required<ArchiveJournal>> =>
    (await open()).journal as Required<ArchiveJournal>;
  return {
    isRequired: true,
    read: async () => (await own()).read(),
    append: async (entry) => (await own()).append(entry),
    count: async () => (await own()).count(),
    alone: async (work, signal) => (await own()).alone(work, signal),
  };
}

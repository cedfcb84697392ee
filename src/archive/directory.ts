import { checkNames, type OptionNames } from "../core/options.ts";
import { lstatSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Handle, handleFor, handleKind, isHandle } from "../core/message/handle.ts";
import { MOST_UNITS } from "../core/message/original.ts";
import { joinPieces, putBy } from "./kept-bytes.ts";
import {
  alteredOriginal,
  attempt,
  errorCode,
  missingOriginal,
  systemError,
  takenHandle,
  tooLarge,
} from "./archive-error.ts";
import { byTime, checkedHandle } from "./archive.ts";
import type { Archive, ArchiveEntry, ArchiveJournal, OriginalReader } from "./archive.ts";
import {
  COLLECTION_FOLDER,
  conversationFolder,
  conversationIds,
  createTurns,
  createUses,
  entryOf,
  JOURNAL_FILE,
  ownFiles,
  pathOf,
  STAMP_FILE,
  temporaryPath,
  type Use,
  type UseOptions,
} from "./conversation.ts";
import { sha256OfBytes } from "./digest.ts";
import {
  appendLine,
  createFile,
  createLineCount,
  fileStats,
  giveName,
  makeFolder,
  MOST_OPEN,
  openPlainFile,
  readPlainFile,
  wholeLines,
} from "./files.ts";
import { concurrencyLimit, createFolderSync } from "./at-once.ts";
import { openSpill } from "./spill-file.ts";
import type { RetentionOptions } from "./retention.ts";

type Retention = RetentionOptions | false;

export interface DirectoryArchiveOptions {
  /**
   * The conversation that the originals belong to, e.g. the id of a session; only through it are
   * they found.
   * @default "default"
   */
  readonly conversation?: string;
  /**
   * Limits on what is kept; the rest is removed after something is stored, at most once an hour,
   * while the caller goes on. `false`: nothing is removed by itself. A function is asked each time;
   * where it rejects, nothing is.
   * @default what nothing names (a journal, `namedBy`), after 7 days or when it has more than 2 GB
   */
  readonly retention?: Retention | (() => Promise<Retention | undefined>);
  /** Only to look at a conversation: reading makes it no younger. @default false */
  readonly observe?: boolean;
  /**
   * The file that names what is stored, e.g. the session of an agent: as long as it is there, its
   * conversation goes only by limits that you give. `true`: something that cannot be looked for.
   * @default nobody
   */
  readonly namedBy?: string | true;
}

const DIRECTORY_OPTIONS: OptionNames<DirectoryArchiveOptions> = {
  conversation: true,
  retention: true,
  observe: true,
  namedBy: true,
};

/**
 * An archive of plain files in `folder` (made when the first original comes), a folder for each
 * conversation, which `grep` and an agent's own read tool can open. Files are written beside and
 * linked into place, synced, and readable by their owner only. Any number of processes may use one
 * folder. `put` rejects with `invalid-message` for text with half a surrogate pair, which no file can
 * hold; `get` rejects with `archive-failed` when a file was changed since, and with `limit-exceeded`
 * for an original that is too large for one string. `read` does not look for changes.
 */
export function directoryArchive(folder: string, options: DirectoryArchiveOptions = {}): Archive {
  checkNames(options, DIRECTORY_OPTIONS);
  const root = resolve(folder);
  return folderArchive({
    own: conversationFolder(root, options.conversation),
    id: options.conversation,
    isObserved: options.observe === true,
    namedBy: options.namedBy,
    collect: collectWhenDue(root, options.retention),
    others: {
      conversation: (id) => directoryArchive(folder, { ...options, conversation: id }),
      conversations: () => attempt("list", root, () => conversationIds(root)),
    },
  });
}

/** One archive in many processes is looked through once in so long. */
const COLLECT_EVERY_MS = 60 * 60 * 1_000;

/**
 * Called whenever something is stored: collects garbage while the caller goes on, if nobody did
 * within the last hour. A failure is left to the next time: storing an original must not fail
 * because an old one cannot go.
 */
function collectWhenDue(
  root: string,
  retention: DirectoryArchiveOptions["retention"] = {},
): () => void {
  let askedAt = -Infinity;
  const collectIfDue = async (): Promise<void> => {
    const last = await lstat(join(root, COLLECTION_FOLDER)).catch(() => undefined);
    const isDue = last === undefined || Math.abs(Date.now() - last.mtimeMs) >= COLLECT_EVERY_MS;
    if (!isDue) return;
    const limits = typeof retention === "function" ? await retention() : retention;
    if (limits === false) return;
    const { collectGarbage } = await import("./retention.ts");
    await collectGarbage(root, limits);
  };
  return () => {
    if (retention === false || performance.now() - askedAt < COLLECT_EVERY_MS) return;
    askedAt = performance.now();
    setImmediate(() => void collectIfDue().catch(() => undefined));
  };
}

/** The folder of one conversation's archive, and its ties to the whole. */
export interface ArchivePlace extends UseOptions {
  readonly own: string;
  /** Called before something is stored. */
  readonly collect?: () => void;
  /** The other conversations. */
  readonly others?: Pick<Archive, "conversation" | "conversations">;
}

export function folderArchive({ own, collect, others, ...uses }: ArchivePlace): Archive {
  const note = createUses(own, uses);
  const begin: Begin = (use) => attempt("use", own, () => note(use));
  const limited = concurrencyLimit(MOST_OPEN);
  const sync = createFolderSync(own);
  const turn = createTurns();
  const reading = retryPutBack(begin, join(own, STAMP_FILE));
  const keep = async (handle: Handle, stored: Omit<Stored, "sync">): Promise<ArchiveEntry> => {
    // Also when nothing can be stored, because the disk is full: then there is most to do.
    collect?.();
    await begin("write");
    return limited(() => store(pathOf(own, handle), handle, { ...stored, sync }));
  };
  return {
    name: "directory",
    ...putBy((handle, pieces) => keep(handle, { pieces })),
    get: async (text) => {
      const handle = checkedHandle(text);
      const path = pathOf(own, handle);
      const read = (): Promise<Buffer | undefined> =>
        attempt("read", path, () => readPlainFile(path));
      const bytes = await reading(() => limited(read));
      if (bytes === undefined) throw missingOriginal(handle);
      return contentOf(bytes, handle, path);
    },
    has: async (handle) => {
      if (!isHandle(handle)) return false;
      const path = pathOf(own, handle);
      const stats = await reading(() => attempt("look for", path, async () => fileStats(path)));
      return stats !== undefined;
    },
    list: async () => {
      await begin("read");
      const files = await attempt("list", own, () => ownFiles(own));
      return files
        .flatMap(({ handle, path, stats }) => (handle ? [entryOf(handle, path, stats)] : []))
        .sort(byTime);
    },
    read: async (text) => {
      const handle = checkedHandle(text);
      const path = pathOf(own, handle);
      await turn();
      const reader = await reading(() => attempt("read", path, async () => openPlainFile(path)));
      if (reader === undefined) throw missingOriginal(handle);
      const read: OriginalReader["read"] = (from, into) =>
        attempt("read", path, () => reader.read(from, into));
      return { ...reader, read };
    },
    ...others,
    journal: journalIn(own, begin, reading),
    open: async () => {
      collect?.();
      await begin("write");
      const adopt = (handle: Handle, file: string, bytes?: Uint8Array): Promise<ArchiveEntry> =>
        store(pathOf(own, handle), handle, { pieces: bytes && [bytes], file, sync });
      return openSpill({ folder: own, adopt });
    },
  };
}

/** Before every use: the folder is one, and its time is now. */
type Begin = (use: Use) => Promise<boolean>;

/** Reads, and once more if a collection had moved the conversation away just as it came into use. */
type Reading = <T>(work: () => Promise<T | undefined>) => Promise<T | undefined>;

const PUT_BACK_MS = 1_000;
const LOOK_EVERY_MS = 5;

function retryPutBack(begin: Begin, stamp: string): Reading {
  return async (work) => {
    const isThere = await begin("read");
    const found = await work();
    if (found !== undefined || !isThere) return found;
    const until = performance.now() + PUT_BACK_MS;
    while (fileStats(stamp) === undefined && performance.now() < until) await delay(LOOK_EVERY_MS);
    return work();
  };
}

interface Stored {
  /** Makes the names in its folder last. */
  readonly sync: () => Promise<void>;
  /** The content; absent for a handle that nobody had before. */
  readonly pieces?: readonly (string | Uint8Array)[];
  /** A file that has the content already, under another name. */
  readonly file?: string;
}

/** Stores an original in its file, or finds it there. */
async function store(path: string, handle: Handle, stored: Stored): Promise<ArchiveEntry> {
  return attempt("write", path, () =>
    inFolder(dirname(path), async () => {
      if (!(await create(path, stored))) await compare(path, handle, stored);
      // Also when another process made the file: its name may not have been synced yet.
      await stored.sync();
      return entryOf(handle, path, lstatSync(path));
    }),
  );
}

/** A folder may be moved away, because nobody had used it for long, between any two steps. */
const MOST_TRIES = 3;

async function inFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (errorCode(error) !== "ENOENT" || tries === MOST_TRIES) throw error;
      await makeFolder(folder);
    }
  }
}

/** `false` when it is there already. */
async function create(path: string, { pieces, file }: Stored): Promise<boolean> {
  if (file !== undefined) return giveName(file, path);
  if (pieces === undefined || fileStats(path) !== undefined) return false;
  return createFile(path, temporaryPath(dirname(path), "write"), pieces);
}

async function compare(path: string, handle: Handle, { pieces }: Stored): Promise<void> {
  if (pieces === undefined) throw takenHandle(handle);
  const size = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  if (size > MOST_UNITS) {
    if (fileStats(path)?.size !== size) throw alteredOriginal(handle, path);
    return;
  }
  const there = await readPlainFile(path);
  if (there === undefined) throw systemError("ENOENT", path);
  if (!there.equals(joinPieces(pieces))) throw alteredOriginal(handle, path);
}

/** The text of an original, if it is the one that was stored. */
function contentOf(bytes: Buffer, handle: Handle, path: string): Promise<string> {
  return attempt("read", path, async () => {
    // A large spill was never hashed.
    if (handleKind(handle) === "run") return bytes.toString("utf8");
    const digits = sha256OfBytes(bytes);
    // A text that was never well-formed UTF-8 has the handle of its bytes, so those are compared.
    if (handleFor(handleKind(handle), "", () => digits) !== handle) {
      // The handle of what no string can hold is made otherwise.
      throw bytes.length > MOST_UNITS ? tooLarge(path) : alteredOriginal(handle, path);
    }
    return bytes.toString("utf8");
  });
}

/**
 * The journal in a conversation's folder. A process that is killed while it appends leaves at most
 * one torn line, which nobody reads.
 */
function journalIn(own: string, begin: Begin, reading: Reading): ArchiveJournal {
  const path = join(own, JOURNAL_FILE);
  return {
    async read() {
      return wholeLines(await reading(() => attempt("read", path, () => readPlainFile(path))));
    },
    count: createLineCount(path),
    async append(entry) {
      await begin("write");
      const line = JSON.stringify(entry);
      await attempt("write", path, () => inFolder(own, () => appendLine(path, line)));
    },
  };
}

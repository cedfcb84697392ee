import { isTemporary, pathFrom } from "../calls/path.ts";
import type { FileFact, FileOp } from "../ledger/index.ts";
import { oneLine } from "../text/clean.ts";
import type { Entry } from "./fact-list.ts";
import { addNewest, lazily, newestFirst } from "./newest.ts";
import { codeSpan } from "./one-line.ts";

/** A file as a summary names it. */
export interface FileMention {
  readonly path: string;
  /** It lies where nobody keeps files: it takes no room of the others. */
  readonly isTemporary: boolean;
  readonly ops: readonly FileOp[];
  readonly state: FileOp;
}

/** The files of a conversation, as they are touched: what was changed, and what was only read. */
export interface FileIndex {
  /** The newest facts of a file. */
  set(key: string, file: FileFact): void;
  readonly changed: ReadonlyMap<string, FileFact>;
  readonly read: ReadonlyMap<string, FileFact>;
}

export function createFileIndex(): FileIndex {
  const changed = new Map<string, FileFact>();
  const read = new Map<string, FileFact>();
  return {
    changed,
    read,
    set(key, file) {
      // A file that was changed once counts as that.
      if (fileState(file.ops) === "read") addNewest(read, key, file);
      else {
        read.delete(key);
        addNewest(changed, key, file);
      }
    },
  };
}

/** Files, the newest first; those that are gone or that nobody keeps last. */
export function mentions(
  files: ReadonlyMap<string, FileFact>,
  cwd: string | undefined,
): Iterable<FileMention> {
  return lazily(function* () {
    const last: [FileMention[], FileMention[], FileMention[]] = [[], [], []];
    for (const file of newestFirst(files)) {
      const mention = mentionOf(file, cwd);
      const rank = (mention.isTemporary ? 2 : 0) + (mention.state === "deleted" ? 1 : 0);
      if (rank === 0) yield mention;
      else last[(rank - 1) as 0 | 1 | 2].push(mention);
    }
    yield* last.flat();
  });
}

function mentionOf({ path, ops }: FileFact, cwd: string | undefined): FileMention {
  const name = pathFrom(cwd, path);
  return { path: oneLine(name), isTemporary: isTemporary(name), ops, state: fileState(ops) };
}

/** The state of a file in the end. */
function fileState(ops: readonly FileOp[]): FileOp {
  if (ops.at(-1) === "deleted") return "deleted";
  if (ops.includes("created")) return "created";
  // Deleted and then used again: it came back in a way that nobody saw.
  return ops.includes("modified") || ops.includes("deleted") ? "modified" : "read";
}

/** Files a line each, with all that happened to them. */
export function fileLines(files: Iterable<FileMention>): Iterable<Entry> {
  return lazily(function* () {
    for (const { path, ops } of files) {
      yield { about: path, text: () => `${codeSpan(path)}: ${ops.join(", ")}` };
    }
  });
}

const STATES = ["created", "modified", "deleted", "read"] as const;
/** A name below a folder takes no fewer tokens. */
const LEAST_NAME = 3;
const NAMES_PER_LINE = 24;

/** Files by what became of them and by folder, those that nobody keeps last, as far as so many tokens may go. */
export function namesByFolder(files: Iterable<FileMention>, room: number): readonly Entry[] {
  const some: FileMention[] = [];
  for (const file of files) {
    if (some.length * LEAST_NAME > room) break;
    some.push(file);
  }
  return [false, true].flatMap((last) =>
    STATES.flatMap((state) => {
      const alike = some.filter((file) => file.isTemporary === last && file.state === state);
      const folders = byFolder(alike.map(({ path }) => path));
      return Array.from(folders, ([folder, names]) => nameLines(state, folder, names)).flat();
    }),
  );
}

function nameLines(op: FileOp, folder: string, names: readonly string[]): readonly Entry[] {
  const word = `${op.slice(0, 1).toUpperCase()}${op.slice(1)}`;
  const where = folder === "" ? word : `${word} in ${codeSpan(folder)}`;
  const lines = Array.from({ length: Math.ceil(names.length / NAMES_PER_LINE) }, (_, index) =>
    names.slice(index * NAMES_PER_LINE, (index + 1) * NAMES_PER_LINE),
  );
  return lines.map((some) => ({
    text: () => `${where}: ${some.map(codeSpan).join(", ")}`,
    facts: some.length,
  }));
}

/** Names by their folder, with its slash. A path that ends with a slash is a bare name. */
function byFolder(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, string[]>();
  for (const path of paths) {
    const slash = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
    const folder = slash === path.length - 1 ? "" : path.slice(0, slash + 1);
    const names = folders.get(folder) ?? [];
    folders.set(folder, names);
    names.push(path.slice(folder.length));
  }
  return folders;
}

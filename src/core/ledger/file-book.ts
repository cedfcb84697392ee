import { isAbsolutePath, looksLikeFile } from "../calls/index.ts";
import type { FileAccess } from "../calls/index.ts";
import type { FileFact, FileOp } from "./ledger.ts";

/** Collects what happened to files; one entry for all names of a file. */
export interface FileBook {
  /** `made`: what the tool itself said about a `write`: that the file is new, or that it is not. */
  add(access: FileAccess, at: number, made?: "created" | "modified"): void;
  facts(): FileFact[];
}

interface FileEntry {
  path: string;
  ops: FileOp[];
  last: number;
  /** Order of accesses, finer than messages. */
  step: number;
}

/** @param keyOf The same key for all names of a file. */
export function createFileBook(keyOf: (path: string) => string): FileBook {
  const entries = new Map<string, FileEntry>();
  /** Deleted folders by their key. */
  const folders = new Map<string, FileEntry>();
  let step = 0;

  const isGone = (key: string, entry: FileEntry): boolean =>
    entry.ops.at(-1) === "deleted" || deletedWith(key, entry) !== undefined;

  /** The newest deletion of a folder around a file, if it came after the file was last touched. */
  const deletedWith = (key: string, entry: FileEntry): FileEntry | undefined => {
    if (folders.size === 0) return undefined;
    let newest: FileEntry | undefined;
    for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) {
      const folder = folders.get(key.slice(0, end));
      if (folder !== undefined && folder.step > (newest ?? entry).step) newest = folder;
    }
    return newest;
  };

  const opOf = ({ op }: FileAccess, isKnown: boolean, made?: FileOp): FileOp => {
    if (op === "read") return "read";
    if (op === "delete") return "deleted";
    if (isKnown || op === "edit") return "modified";
    return made ?? "created";
  };

  const add: FileBook["add"] = (access, at, made) => {
    step++;
    const key = keyOf(access.path);
    const known = entries.get(key);
    if (access.recursive === true && known === undefined && !looksLikeFile(access.path)) {
      const path = `${access.path.replace(/\/$/, "")}/`;
      folders.set(key, { path, ops: ["deleted"], last: at, step });
      return;
    }
    const isKnown = known !== undefined && !isGone(key, known);
    const op = opOf(access, isKnown, made);
    if (known === undefined) {
      entries.set(key, { path: access.path, ops: [op], last: at, step });
      return;
    }
    note(known, op, { at, step });
    if (isAbsolutePath(access.path) && !isAbsolutePath(known.path)) known.path = access.path;
  };

  const asItIs = (key: string, entry: FileEntry): FileEntry => {
    const folder = deletedWith(key, entry);
    if (folder === undefined) return entry;
    const gone = { ...entry };
    note(gone, "deleted", { at: folder.last, step: folder.step });
    return gone;
  };

  const facts = (): FileFact[] => {
    const files = Array.from(entries, ([key, entry]) => asItIs(key, entry));
    return [...files, ...folders.values()]
      .toSorted((a, b) => a.step - b.step)
      .map(({ path, ops, last }) => ({ path, ops: [...ops], last }));
  };

  return { add, facts };
}

function note(entry: FileEntry, op: FileOp, when: { at: number; step: number }): void {
  if (entry.ops.at(-1) !== op) entry.ops = [...entry.ops.filter((earlier) => earlier !== op), op];
  entry.last = when.at;
  entry.step = when.step;
}

import { isAbsolutePath, pathKey, toolKind } from "../tools/index.ts";
import { bounded } from "./bounds.ts";
import { commandSubject } from "./error-book.ts";
import type { ErrorFact, FileFact, FileOp, Ledger } from "./ledger.ts";
import { mergeTodos } from "./todos.ts";

export interface MergeOptions {
  /** The working directory; makes relative and absolute names of a file one entry. */
  readonly cwd?: string | undefined;
}

/**
 * The facts of two stretches of one conversation together; `newer` comes after `older` and counts
 * its messages on from there. `EMPTY_LEDGER` changes nothing on either side.
 */
export function mergeLedgers(older: Ledger, newer: Ledger, options: MergeOptions = {}): Ledger {
  const todosAt = newer.todosAt ?? older.todosAt;
  const isNewList = newer.todosAt !== undefined || newer.todos.length > 0;
  return bounded({
    files: mergeFiles(older.files, newer.files, options.cwd),
    commands: [...older.commands, ...newer.commands],
    instructions: [...older.instructions, ...newer.instructions],
    todos: isNewList ? mergeTodos(older.todos, newer.todos) : older.todos,
    ...(todosAt === undefined ? {} : { todosAt }),
    errors: [...resolveErrors(older.errors, newer, options.cwd), ...newer.errors],
    statements: [...older.statements, ...newer.statements],
  });
}

function mergeFiles(
  older: readonly FileFact[],
  newer: readonly FileFact[],
  cwd: string | undefined,
): FileFact[] {
  const folders = new Map(
    newer
      .filter(({ path }) => path.endsWith("/"))
      .map((folder) => [pathKey(folder.path, cwd), folder]),
  );
  const merged = new Map<string, FileFact>();
  for (const file of older) {
    const key = keyOf(file, cwd);
    const folder = folders.size === 0 ? undefined : folderOf(key, folders);
    merged.set(key, folder === undefined ? file : deletedWith(file, folder));
  }
  for (const file of newer) {
    const key = keyOf(file, cwd);
    const known = merged.get(key);
    // What happened last stands last.
    merged.delete(key);
    merged.set(key, known === undefined ? file : mergeFile(known, file));
  }
  return [...merged.values()];
}

/** A deleted folder and a file of the same name are two things. */
function keyOf({ path }: FileFact, cwd: string | undefined): string {
  return path.endsWith("/") ? `${pathKey(path, cwd)}/` : pathKey(path, cwd);
}

/** The newest deletion of a folder around a file. */
function folderOf(key: string, folders: ReadonlyMap<string, FileFact>): FileFact | undefined {
  let newest: FileFact | undefined;
  for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) {
    const folder = folders.get(key.slice(0, end));
    if (folder !== undefined && folder.last > (newest?.last ?? -1)) newest = folder;
  }
  return newest;
}

function deletedWith(file: FileFact, { last }: FileFact): FileFact {
  return { ...file, ops: joinOps(file.ops, ["deleted"]), last };
}

function isGone({ ops }: FileFact): boolean {
  return ops.at(-1) === "deleted";
}

function mergeFile(older: FileFact, newer: FileFact): FileFact {
  const path = isAbsolutePath(newer.path) && !isAbsolutePath(older.path) ? newer.path : older.path;
  const ops = isGone(older) ? newer.ops : withoutCreation(newer.ops);
  return { path, ops: joinOps(older.ops, ops), last: newer.last };
}

/** A first write looks like a creation where nothing is known of the file; here it is known. */
function withoutCreation(ops: readonly FileOp[]): readonly FileOp[] {
  const created = ops.indexOf("created");
  const deleted = ops.indexOf("deleted");
  if (created < 0 || (deleted >= 0 && deleted < created)) return ops;
  const changed = ops.map((op): FileOp => (op === "created" ? "modified" : op));
  return changed.filter((op, index) => changed.lastIndexOf(op) === index);
}

function joinOps(older: readonly FileOp[], newer: readonly FileOp[]): FileOp[] {
  return [...older.filter((op) => !newer.includes(op)), ...newer];
}

function resolveErrors(
  errors: readonly ErrorFact[],
  newer: Ledger,
  cwd: string | undefined,
): readonly ErrorFact[] {
  if (errors.every(({ resolved }) => resolved)) return errors;
  const ran = newer.commands.filter(({ outcome }) => outcome === "ok");
  const commands = new Set(ran.map(({ command }) => commandSubject([command])));
  const files = new Map(newer.files.map((file) => [pathKey(file.path, cwd), file.ops]));
  const isSettled = ({ tool, subject }: ErrorFact): boolean => {
    const ops = files.get(pathKey(subject, cwd)) ?? [];
    const changed = ops.includes("created") || ops.includes("modified");
    const isReadable = changed || ops.includes("read");
    return commands.has(subject) || changed || (isReadable && toolKind(tool) === "read");
  };
  return errors.map((error) =>
    !error.resolved && isSettled(error) ? { ...error, resolved: true } : error,
  );
}

import { isAbsolutePath, pathKey } from "../calls/path.ts";
import { stepsThatWentWell } from "../calls/shell-text.ts";
import { toolKind } from "../calls/tool-kind.ts";
import { commandSubject, newestAround } from "./books.ts";
import {
  bounded,
  EMPTY_LEDGER,
  type ErrorFact,
  type FileFact,
  type FileOp,
  type Ledger,
  type NameFact,
} from "./ledger.ts";
import { mergeTodos } from "./todos.ts";

export interface MergeOptions {
  /** The working directory; makes relative and absolute names of a file one entry. */
  readonly cwd?: string;
}

interface SumOptions extends MergeOptions {
  /** Is told what is known of a file whenever that changes, under one key for all its names. */
  readonly onFile?: (key: string, file: FileFact) => void;
}

/** Adds up the facts of stretches that follow one another. */
export interface LedgerSum {
  /** Counts the messages of `newer` on from what was added before. */
  add(newer: Ledger): void;
  /** All that was added, within the bounds of a ledger. */
  ledger(): Ledger;
}

/**
 * The facts of two stretches of one conversation together; `newer` comes after `older` and counts
 * its messages on from there. `EMPTY_LEDGER` changes nothing on either side.
 */
export function mergeLedgers(older: Ledger, newer: Ledger, options: MergeOptions = {}): Ledger {
  const sum = createLedgerSum(options);
  sum.add(older);
  sum.add(newer);
  return sum.ledger();
}

/** A sum of nothing so far. Adding costs what is new, however much there is already. */
export function createLedgerSum({ cwd, onFile }: SumOptions = {}): LedgerSum {
  const files = new Map<string, FileFact>();
  const setFile = (key: string, file: FileFact): void => {
    files.set(key, file);
    onFile?.(key, file);
  };
  let total = EMPTY_LEDGER;
  let whole: Ledger | undefined;
  return {
    add(newer) {
      const { commands, instructions, errors, statements } = newer;
      const todosAt = newer.todosAt ?? total.todosAt;
      const isNewList = newer.todosAt !== undefined || newer.todos.length > 0;
      addFiles({ files, setFile }, newer.files, cwd);
      whole = undefined;
      total = bounded({
        files: [],
        commands: joined(total.commands, commands),
        instructions: joined(total.instructions, instructions),
        todos: isNewList ? mergeTodos(total.todos, newer.todos) : total.todos,
        todosAt,
        errors: joined(resolveErrors(total.errors, newer, cwd), errors),
        statements: joined(total.statements, statements),
        ...lastSaid(newer.said ?? total.said),
        names: joinNames(total.names, newer.names),
      });
    },
    ledger: () => (whole ??= bounded({ ...total, files: [...files.values()] })),
  };
}

function lastSaid(said: Ledger["said"]): Pick<Ledger, "said"> {
  return said === undefined ? {} : { said };
}

function joined<Fact>(older: readonly Fact[], newer: readonly Fact[]): readonly Fact[] {
  if (older.length === 0) return newer;
  return newer.length === 0 ? older : [...older, ...newer];
}

/** Each name once for each file, where it stood last. */
function joinNames(
  older: readonly NameFact[] | undefined,
  newer: readonly NameFact[] | undefined,
): readonly NameFact[] | undefined {
  if (older === undefined || newer === undefined) return newer ?? older;
  const keyOf = ({ path = "", name }: NameFact): string => `${path} ${name}`;
  const again = new Set(newer.map(keyOf));
  return [...older.filter((fact) => !again.has(keyOf(fact))), ...newer];
}

/** The files that are known, and how one is told. */
interface KnownFiles {
  readonly files: Map<string, FileFact>;
  readonly setFile: (key: string, file: FileFact) => void;
}

/** The newest operation stands last. */
function addFiles(known: KnownFiles, newer: readonly FileFact[], cwd: string | undefined): void {
  const { files, setFile } = known;
  deleteFolders(known, newer, cwd);
  for (const file of newer) {
    const key = keyOf(file, cwd);
    const before = files.get(key);
    files.delete(key);
    setFile(key, before === undefined ? file : mergeFile(before, file));
  }
}

/** A deleted folder takes along what was in it. */
function deleteFolders(
  { files, setFile }: KnownFiles,
  newer: readonly FileFact[],
  cwd: string | undefined,
): void {
  const folders = newer.filter(({ path }) => path.endsWith("/"));
  if (folders.length === 0) return;
  const byKey = new Map(folders.map((folder) => [pathKey(folder.path, cwd), folder]));
  const gone = [...files].flatMap(([key, file]) => {
    const folder = newestAround(key, byKey, ({ last }) => last);
    return folder === undefined ? [] : [[key, deletedWith(file, folder)] as const];
  });
  // A file that went with its folder was touched then, and stands behind what was touched before.
  for (const [key, file] of gone) {
    files.delete(key);
    setFile(key, file);
  }
}

/** A deleted folder and a file of the same name are two things. */
function keyOf({ path }: FileFact, cwd: string | undefined): string {
  return path.endsWith("/") ? `${pathKey(path, cwd)}/` : pathKey(path, cwd);
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
  const ran = newer.commands.filter(({ outcome, tool }) => outcome === "ok" && tool === undefined);
  const done = ran.flatMap(({ command }) => [command, ...stepsThatWentWell(command)]);
  const commands = new Set(done.map((command) => commandSubject([command])));
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

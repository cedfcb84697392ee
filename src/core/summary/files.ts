import { isTemporary, pathFrom } from "../calls/path.ts";
import type { FileFact, FileOp, Ledger } from "../ledger/index.ts";
import { oneLine } from "../text/clean.ts";
import type { Entry } from "./lists.ts";
import { codeSpan } from "./one-line.ts";
import { perFact } from "./per-fact.ts";

/** A file as a summary names it. */
export interface FileMention {
  readonly path: string;
  /** It lies where nobody keeps files: it takes no room of the others. */
  readonly isTemporary: boolean;
  readonly ops: readonly FileOp[];
  readonly state: FileOp;
}

/** The files of a ledger, the newest first, each under one name. */
export function mentions({ files }: Ledger, cwd: string | undefined): readonly FileMention[] {
  return files.toReversed().map((file) => mentionOf(file, cwd));
}

const mentionOf = perFact(({ path, ops }: FileFact, cwd: string | undefined): FileMention => {
  const name = pathFrom(cwd, path);
  return { path: oneLine(name), isTemporary: isTemporary(name), ops, state: fileState(ops) };
});

/** What became of a file in the end. */
function fileState(ops: readonly FileOp[]): FileOp {
  if (ops.at(-1) === "deleted") return "deleted";
  if (ops.includes("created")) return "created";
  // Deleted and then used again: it came back in a way that nobody saw.
  return ops.includes("modified") || ops.includes("deleted") ? "modified" : "read";
}

/** Files a line each, with all that happened to them; those that are gone or that nobody keeps last. */
export function fileLines(
  files: readonly FileMention[],
  states: readonly FileOp[],
): readonly Entry[] {
  const rank = ({ state, isTemporary: last }: FileMention): number =>
    (last ? 2 : 0) + (state === "deleted" ? 1 : 0);
  const ranked = files
    .filter(({ state }) => states.includes(state))
    .toSorted((a, b) => rank(a) - rank(b));
  return ranked.map(({ path, ops }) => ({
    about: path,
    text: () => `${codeSpan(path)}: ${ops.join(", ")}`,
  }));
}

/** Paths on one line: whole ones are long, names below a folder are short. */
const PATHS_PER_LINE = 8;
const NAMES_PER_LINE = 24;

/** Files by what became of them: whole paths, or by folder where that is too long. */
export function pathsByState(
  files: readonly FileMention[],
  states: readonly FileOp[],
): { readonly entries: readonly Entry[]; readonly grouped: () => readonly Entry[] } {
  const paths = [false, true].flatMap((last) =>
    states.map((state) => {
      const some = files.filter((file) => file.isTemporary === last && file.state === state);
      return [state, some.map(({ path }) => path)] as const;
    }),
  );
  return {
    entries: paths.flatMap(([state, all]) => pathLines(state, "", all)),
    grouped: () =>
      paths.flatMap(([state, all]) =>
        [...byFolder(all)].flatMap(([folder, names]) => pathLines(state, folder, names)),
      ),
  };
}

function pathLines(op: FileOp, folder: string, names: readonly string[]): readonly Entry[] {
  const word = `${op.slice(0, 1).toUpperCase()}${op.slice(1)}`;
  const where = folder === "" ? word : `${word} in ${codeSpan(folder)}`;
  const size = folder === "" ? PATHS_PER_LINE : NAMES_PER_LINE;
  const lines = Array.from({ length: Math.ceil(names.length / size) }, (_, index) =>
    names.slice(index * size, (index + 1) * size),
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

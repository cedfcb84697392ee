import type { Ledger } from "../../ledger/index.ts";
import { readFilesLine } from "../facts/fact-lines.ts";
import { fileState } from "../facts/facts.ts";
import { lastName } from "./find-path.ts";
import { oneLine } from "../plain-text.ts";
import { splitEntries } from "../split-entries.ts";

/** Tells which paths a text names. */
export type NamesPath = (path: string) => boolean;

/**
 * Files that were changed and are not named. What was made and is gone again, and folders, need no
 * word of a model.
 */
export function unnamedFiles(text: string, ledger: Ledger): readonly string[] {
  const changed = ledger.files
    .filter(({ path, ops }) => fileState(ops) !== "read" && !path.endsWith("/"))
    .filter(({ ops }) => fileState(ops) !== "deleted" || !ops.includes("created"))
    .map(({ path }) => oneLine(path));
  const isNamed = createNamesPath(text, changed);
  return changed.filter((path) => !isNamed(path));
}

/**
 * Whether a text names paths. A path counts as named by its shortest end that no other of `paths`
 * has, whole names only: `src/a.ts` for `/home/me/app/src/a.ts`.
 */
export function createNamesPath(text: string, paths: readonly string[]): NamesPath {
  const grouped = new Set(
    splitEntries(text).flatMap((entry) => (readFilesLine(entry) ?? []).map(({ path }) => path)),
  );
  const hasName = createHasName(text);
  const ends = countEnds(paths.filter(hasName));
  return (path) => grouped.has(path) || (hasName(path) && names(text, shortestEnd(path, ends)));
}

const WORDS = /[\w.-]+/g;
const PLAIN_NAME = /^\w[\w.-]*(?<!\.)$/;

/**
 * Whether the last name of a path stands in a text: one look into a set instead of a search through
 * the text for nearly every path.
 */
export function createHasName(text: string): NamesPath {
  const words = new Set(text.match(WORDS)?.map((word) => word.replace(/\.+$/, "")));
  return (path) => {
    const name = lastName(path);
    return PLAIN_NAME.test(name) ? words.has(name) : text.includes(name);
  };
}

/** How many paths have each end. */
function countEnds(paths: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const end of paths.flatMap(pathEnds)) counts.set(end, (counts.get(end) ?? 0) + 1);
  return counts;
}

function shortestEnd(path: string, ends: ReadonlyMap<string, number>): string {
  return pathEnds(path).find((end) => ends.get(end) === 1) ?? path.replace(/[/\\]+$/, "");
}

/** `a/b/c` has the ends `c`, `b/c` and `a/b/c`. */
function pathEnds(path: string): readonly string[] {
  const name = path.replace(/[/\\]+$/, "");
  const starts = [...name.matchAll(/[/\\]/g)].map(({ index }) => index + 1);
  return [...starts.toReversed().map((start) => name.slice(start)), name];
}

function names(text: string, end: string): boolean {
  for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, at + 1)) {
    const before = text[at - 1] ?? " ";
    const after = text.slice(at + end.length, at + end.length + 2);
    if (!/[\w-]/.test(before) && !/^(?:[\w-]|\.\w)/.test(after)) return true;
  }
  return false;
}

import type { Handle } from "../../message/index.ts";
import type { FileOp } from "../../ledger/index.ts";
import type { Entry, FactList } from "./fact-list.ts";
import { commandLine, errorLine, fileLine, filesLine, headsLine } from "./fact-lines.ts";
import { fileState } from "./facts.ts";
import type { Facts, FileMention } from "./facts.ts";
import type { CoreSectionId } from "../template.ts";

/** Paths on one line: whole ones are long, names below a folder are short. */
const PATHS_PER_LINE = 8;
const NAMES_PER_LINE = 24;

/** So many older heads are named, if there is room: each one names those before it. */
const MOST_HEADS = 8;

export const FILES_READ = "files read";
export const CHANGED_FILES = "changed files";
/** What a model takes from long instructions, in its own words. */
export const RULES = "rules";
/** Beside what a model says of files, there are those that it does not name. */
export const OTHER_FILES_READ = "other files read";
export const OTHER_CHANGED_FILES = "other changed files";
export const OTHER_FILES = "other files";

/** The lists of a section in their order. */
export type SectionLists = ReadonlyMap<string, readonly FactList[]>;

/**
 * The five sections as lists. The weights say what an agent misses most when a cap is too small for
 * all: what was changed, what the user said, then what was learned.
 */
export function factLists(facts: Facts, heads: readonly Handle[]): SectionLists {
  const core: readonly (readonly [CoreSectionId, readonly FactList[]])[] = [
    ["goal", [list("requests", 13, requestLines(facts), true)]],
    ["instructions", [instructionsList(22, facts.instructions), list(RULES, 1, [])]],
    ["discoveries", discoveries(facts, heads)],
    ["accomplished", accomplished(facts)],
    ["relevantFiles", relevantFiles(facts)],
  ];
  const others = [...facts.others].map(
    ([key, texts]) => [key, [list("entries", 5, texts, true)]] as const,
  );
  return withHidden([...core, ...others], facts);
}

/** Lists with what earlier summaries had no room for, by what they hold. */
export function withHidden(
  sections: Iterable<readonly [string, readonly FactList[]]>,
  { hidden, others }: Facts,
): SectionLists {
  return new Map(
    [...sections].map(([section, lists]) => [
      section,
      lists.map((each) => ({
        ...each,
        hidden: hidden.get(others.has(section) ? section : each.noun),
      })),
    ]),
  );
}

function discoveries(facts: Facts, heads: readonly Handle[]): readonly FactList[] {
  const reads = facts.files.filter(({ ops }) => ops.length > 0 && fileState(ops) === "read");
  return [
    list("unresolved errors", 7, facts.errors.map(errorLine), true),
    list("statements", 9, facts.statements, true),
    filesList(FILES_READ, 3, { read: reads }),
    filesList(OTHER_FILES_READ, 1, {}),
    list(
      "environment facts",
      2,
      facts.environment.map((text) => `Environment: ${text}`),
    ),
    headsList(heads),
  ];
}

/** Older heads: each of them holds a summary that names those before it. */
export function headsList(heads: readonly Handle[]): FactList {
  return {
    ...list("heads", 3, heads.length === 0 ? [] : [headsLine(heads, MOST_HEADS)]),
    grouped: heads.length === 0 ? [] : [{ text: headsLine(heads, 1) }],
  };
}

function accomplished(facts: Facts): readonly FactList[] {
  return [
    changedFilesList(CHANGED_FILES, 23, facts.files),
    changedFilesList(OTHER_CHANGED_FILES, 1, []),
    list("commands", 6, facts.commands.map(commandLine)),
    list(
      "finished todos",
      2,
      facts.done.map((text) => `Done: ${text}`),
    ),
    list("earlier notes", 5, facts.notes.get("accomplished") ?? [], true),
    list(
      "open todos",
      5,
      facts.open.map((text) => `Still open: ${text}`),
    ),
  ];
}

function relevantFiles(facts: Facts): readonly FactList[] {
  const ranked = facts.files.toSorted((a, b) => rank(a) - rank(b));
  return [
    list("files", 10, ranked.map(fileLine)),
    list(OTHER_FILES, 1, []),
    list("file notes", 3, facts.notes.get("relevantFiles") ?? [], true),
  ];
}

/** Files by what became of them, those that were only read left out. */
export function changedFilesList(
  noun: string,
  weight: number,
  files: readonly FileMention[],
): FactList {
  const inState = (state: FileOp): readonly FileMention[] =>
    files.filter(({ ops }) => fileState(ops) === state);
  const changed = { created: inState("created"), modified: inState("modified") };
  return filesList(noun, weight, { ...changed, deleted: inState("deleted") });
}

/** Files by an operation: whole paths, or by folder where that is too long. */
export function filesList(
  noun: string,
  weight: number,
  files: Readonly<Partial<Record<FileOp, readonly FileMention[]>>>,
): FactList {
  const ops: readonly FileOp[] = ["created", "modified", "deleted", "read"];
  return {
    ...list(noun, weight, []),
    entries: ops.flatMap((op) => pathLines(op, files[op] ?? [])),
    grouped: ops.flatMap((op) => folderLines(op, files[op] ?? [])),
  };
}

/** What was changed, or was worth a word, comes before what was only read; what is gone comes last. */
function rank({ ops, role }: FileMention): number {
  const state = fileState(ops);
  if (state === "deleted") return 2;
  return state === "read" && role === undefined ? 1 : 0;
}

/** Words of somebody who states a rule, and not what is to be done next. */
const RULE =
  /\b(?:always|never|must|(?:do|does|should|may|can) not|cannot|(?:do|does|should|must|ca)n['’]t|at all times|from now on|no matter|only ever|without exception|under no circumstances)\b/i;
/** A longer text that holds such a word is a report or a log. */
const RULE_LENGTH = 600;

/** What the user typed, newest first. What it began with and short rules outlast newer requests. */
export function instructionsList(weight: number, texts: readonly string[]): FactList {
  const isRule = (text: string): boolean => text.length <= RULE_LENGTH && RULE.test(text);
  const entries = texts.map((text, index) => ({
    text,
    lasts: index === texts.length - 1 || isRule(text),
  }));
  return { ...list("instructions", weight, [], true), entries };
}

export function requestLines({ firstRequest, newestRequest, notes }: Facts): readonly string[] {
  const goals = notes.get("goal") ?? [];
  if (goals.length > 0) {
    const first = firstRequest === undefined ? [] : [`First request: ${firstRequest}`];
    const newest = newestRequest === undefined ? [] : [`Newest request: ${newestRequest}`];
    return [...goals, ...first, ...newest];
  }
  if (firstRequest === undefined && newestRequest === undefined) return [];
  const isOne = firstRequest === undefined || newestRequest === undefined;
  if (isOne || firstRequest === newestRequest) return [`Request: ${firstRequest ?? newestRequest}`];
  return [`First request: ${firstRequest}`, `Newest request: ${newestRequest}`];
}

export function list(
  noun: string,
  weight: number,
  texts: readonly string[],
  clips = false,
): FactList {
  return { noun, weight, entries: texts.map((text) => ({ text })), clips };
}

function pathLines(op: FileOp, files: readonly FileMention[]): readonly Entry[] {
  const paths = files.map(({ path }) => path);
  return chunks(paths, PATHS_PER_LINE).map((some) => ({
    text: filesLine(op, "", some),
    facts: some.length,
  }));
}

function folderLines(op: FileOp, files: readonly FileMention[]): readonly Entry[] {
  const folders = new Map<string, string[]>();
  for (const { path } of files) {
    const folder = folderOf(path);
    const names = folders.get(folder) ?? [];
    folders.set(folder, names);
    names.push(path.slice(folder.length));
  }
  return [...folders].flatMap(([folder, names]) =>
    chunks(names, NAMES_PER_LINE).map((some) => ({
      text: filesLine(op, folder, some),
      facts: some.length,
    })),
  );
}

/** The folder with its slash; empty for a bare name. A path that ends with a slash is a bare name. */
function folderOf(path: string): string {
  const slash = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return slash === path.length - 1 ? "" : path.slice(0, slash + 1);
}

function chunks<T>(values: readonly T[], size: number): readonly (readonly T[])[] {
  const starts = Array.from(
    { length: Math.ceil(values.length / size) },
    (_, index) => index * size,
  );
  return starts.map((start) => values.slice(start, start + size));
}

import { pathFrom } from "../calls/path.ts";
import type { NameFact } from "../ledger/index.ts";
import { oneLine } from "../text/clean.ts";
import type { Entry, FactList } from "./lists.ts";
import type { FileMention } from "./files.ts";
import { codeSpan } from "./one-line.ts";

/** Tokens of names in a summary that has room for all; one has about so many UTF-16 units. */
const NAMES_TOKENS = 3_000;
const UNITS_PER_TOKEN = 3.3;
/** What a line costs around its names: behind a file's own line, and on one of its own. */
const JOINED_CHARACTERS = 8;
const LINE_CHARACTERS = 16;

/**
 * The names of a head, behind each file that they stood in, and a line of those without. What the
 * agent wrote itself comes first, then what is newest, as far as the room goes.
 */
export function nameLines(
  names: readonly NameFact[],
  { standing, cwd, files }: NamesAround,
): Required<Pick<FactList, "entries" | "grouped">> {
  const listed = new Set(files.map(({ path }) => path));
  const told = new Set([...listed].flatMap(partsOfPath));
  const newest = names.toReversed().filter(({ name }) => standing?.has(name) !== true);
  const ranked = [
    ...newest.filter(({ isOwn }) => isOwn === true),
    ...newest.filter(({ isOwn }) => isOwn !== true),
  ];
  const fromHere = pathsFrom(cwd);
  const within = (tokens: number): readonly Entry[] => {
    const byFile = namesByFile(ranked, { listed, told, fromHere, room: tokens * UNITS_PER_TOKEN });
    return Array.from(byFile, ([file, held]) => ({
      about: file,
      text: () => `${file === "" ? "Other" : codeSpan(file)}: names: ${held.join(", ")}`,
      addition: () => `; names: ${held.join(", ")}`,
    }));
  };
  return {
    entries: within(NAMES_TOKENS),
    grouped: (room) => within(Math.min(room, NAMES_TOKENS)),
  };
}

/** What is told of a path with it: its folders, and the path from each of them on. */
function partsOfPath(path: string): readonly string[] {
  const parts = [path];
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    parts.push(path.slice(0, at), path.slice(at + 1));
  }
  return parts;
}

interface NamesAround {
  readonly standing: ReadonlySet<string> | undefined;
  readonly cwd: string | undefined;
  /** The files that have a line. */
  readonly files: readonly FileMention[];
}

/** Paths as they are named from the working directory; the same few come again and again. */
function pathsFrom(cwd: string | undefined): (path: string) => string {
  const known = new Map<string, string>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const named = oneLine(pathFrom(cwd, path));
    known.set(path, named);
    return named;
  };
}

interface Naming {
  /** The files that have a line. */
  readonly listed: ReadonlySet<string>;
  /** What those lines tell already. */
  readonly told: ReadonlySet<string>;
  readonly fromHere: (path: string) => string;
  /** In UTF-16 units. */
  readonly room: number;
}

/** Names by file, in the order in which each file comes first. */
function namesByFile(
  ranked: readonly NameFact[],
  { listed, told, fromHere, room: most }: Naming,
): ReadonlyMap<string, readonly string[]> {
  const byFile = new Map<string, string[]>();
  const taken = new Set<string>(told);
  let room = most;
  for (const { name: said, path } of ranked) {
    const isPath = said.includes("/") && !said.includes("://");
    const name = isPath ? fromHere(said) : said;
    if (taken.has(name)) continue;
    taken.add(name);
    const file = path === undefined ? "" : fromHere(path);
    const known = byFile.get(file);
    const around = listed.has(file) ? JOINED_CHARACTERS : file.length + LINE_CHARACTERS;
    room -= name.length + 2 + (known === undefined ? around : 0);
    if (room < 0) break;
    if (known === undefined) byFile.set(file, [name]);
    else known.push(name);
  }
  return byFile;
}

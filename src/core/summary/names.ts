import { pathFrom } from "../calls/path.ts";
import type { NameFact } from "../ledger/index.ts";
import { oneLine } from "../text/clean.ts";
import { counted, type Entries, type FactList } from "./fact-list.ts";
import type { FileMention } from "./files.ts";
import { codeSpan } from "./one-line.ts";

/** Tokens of names in a summary that has room for all; one has about so many UTF-16 units. */
const NAMES_TOKENS = 3_000;
const UNITS_PER_TOKEN = 3.3;
/** The cost of a line around its names: behind a file's own line, and on one of its own. */
const JOINED_CHARACTERS = 8;
const LINE_CHARACTERS = 16;

/**
 * The names of a head, behind each file that they stood in, and a line of those without. Names that
 * the agent wrote itself come first, then the newest, as far as the room goes.
 */
export function nameLines(
  names: readonly NameFact[],
  around: NamesAround,
): Entries & Required<Pick<FactList, "grouped">> {
  const ranked = rankedNames(names, around);
  const within = (tokens: number): Entries => {
    const lines = Array.from(namesByFile(ranked, tokens * UNITS_PER_TOKEN), ([file, held]) => ({
      about: file,
      text: () => `${file === "" ? "Other" : codeSpan(file)}: names: ${held.join(", ")}`,
      addition: () => `; names: ${held.join(", ")}`,
    }));
    return counted(lines);
  };
  return {
    ...within(NAMES_TOKENS),
    grouped: (room) => within(Math.min(room, NAMES_TOKENS)),
  };
}

/** Names that a path tells with it: its folders, and the path from each of them on. */
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

/** A path as it is named from the working directory; the same few come again and again. */
function namedFrom(cwd: string | undefined, path: string, known: Map<string, string>): string {
  const before = known.get(path);
  if (before !== undefined) return before;
  const named = oneLine(pathFrom(cwd, path));
  known.set(path, named);
  return named;
}

/** A name, the file that it is put behind, and what it takes there in UTF-16 units. */
interface RankedName {
  readonly name: string;
  readonly file: string;
  readonly units: number;
}

/** The names that have room in a summary, each once, in the order in which they are chosen. */
function rankedNames(
  names: readonly NameFact[],
  { standing, cwd, files }: NamesAround,
): readonly RankedName[] {
  const listed = new Set(files.map(({ path }) => path));
  const taken = new Set([...listed].flatMap(partsOfPath));
  const paths = new Map<string, string>();
  const ranked: RankedName[] = [];
  const known = new Set<string>();
  let room = NAMES_TOKENS * UNITS_PER_TOKEN;
  for (const isOwn of [true, false]) {
    for (let at = names.length - 1; at >= 0 && room >= 0; at--) {
      const fact = names[at] as NameFact;
      if ((fact.isOwn === true) !== isOwn || standing?.has(fact.name) === true) continue;
      const isPath = fact.name.includes("/") && !fact.name.includes("://");
      const name = isPath ? namedFrom(cwd, fact.name, paths) : fact.name;
      if (taken.has(name)) continue;
      taken.add(name);
      const file = fact.path === undefined ? "" : namedFrom(cwd, fact.path, paths);
      const around = listed.has(file) ? JOINED_CHARACTERS : file.length + LINE_CHARACTERS;
      const units = name.length + 2 + (known.has(file) ? 0 : around);
      known.add(file);
      ranked.push({ name, file, units });
      room -= units;
    }
  }
  return ranked;
}

/** Names by file, in the order in which each file comes first, as far as there is room. */
function namesByFile(
  ranked: readonly RankedName[],
  room: number,
): ReadonlyMap<string, readonly string[]> {
  const byFile = new Map<string, string[]>();
  let left = room;
  for (const { name, file, units } of ranked) {
    left -= units;
    if (left < 0) break;
    const held = byFile.get(file);
    if (held === undefined) byFile.set(file, [name]);
    else held.push(name);
  }
  return byFile;
}

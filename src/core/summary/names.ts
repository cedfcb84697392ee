import { pathFrom } from "../calls/path.ts";
import type { NameFact } from "../ledger/index.ts";
import { oneLine } from "../text/clean.ts";
import type { Entry, FactList } from "./lists.ts";
import { codeSpan } from "./one-line.ts";

/** Tokens of names in a summary that has room for all; one has about so many characters. */
const NAMES_TOKENS = 1_300;
const CHARACTERS_PER_TOKEN = 3.3;
/** What a line costs around its names. */
const LINE_CHARACTERS = 16;

/**
 * The names of a head, a line for each file that they stood in and one for those without. What the
 * agent wrote itself comes first, then what is newest, as far as the room goes.
 */
export function nameLines(
  names: readonly NameFact[],
  standing: ReadonlySet<string> | undefined,
  cwd: string | undefined,
): Required<Pick<FactList, "entries" | "grouped">> {
  const newest = names.toReversed().filter(({ name }) => standing?.has(name) !== true);
  const ranked = [
    ...newest.filter(({ isOwn }) => isOwn === true),
    ...newest.filter(({ isOwn }) => isOwn !== true),
  ].map(({ name, path }) => ({
    name,
    file: path === undefined ? OTHERS : codeSpan(oneLine(pathFrom(cwd, path))),
  }));
  const within = (tokens: number): readonly Entry[] => {
    const lines = [...namesByFile(ranked, tokens * CHARACTERS_PER_TOKEN)];
    return lines.map(([file, held]) => ({ text: () => `Names in ${file}: ${held.join(", ")}` }));
  };
  return {
    entries: within(NAMES_TOKENS),
    grouped: (room) => within(Math.min(room, NAMES_TOKENS)),
  };
}

/** The name of no file. */
const OTHERS = "no file";

function namesByFile(
  ranked: readonly { readonly name: string; readonly file: string }[],
  characters: number,
): ReadonlyMap<string, readonly string[]> {
  const byFile = new Map<string, string[]>();
  const taken = new Set<string>();
  let room = characters;
  for (const { name, file } of ranked) {
    if (taken.has(name)) continue;
    taken.add(name);
    const known = byFile.get(file);
    room -= name.length + 2 + (known === undefined ? file.length + LINE_CHARACTERS : 0);
    if (room < 0) break;
    if (known === undefined) byFile.set(file, [name]);
    else known.push(name);
  }
  return byFile;
}

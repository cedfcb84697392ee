import { distinct, errorKey } from "./facts.ts";
import type { CommandRuns, Facts, FileMention, OpenError } from "./facts.ts";
import { clippedStart } from "../clip.ts";

/** What newer and older facts say together; where both speak of one thing, the newer one is right. */
export function mergeFacts(newer: Facts, older: Facts): Facts {
  const open = newer.hasTodos ? newer.open : older.open;
  const isOpen = new Set(open);
  // Where a goal stands in other words, nobody knows any more what the first request was.
  const isFirst = older.firstRequest === undefined && !older.notes.has("goal");
  return {
    firstRequest: isFirst ? newer.firstRequest : older.firstRequest,
    newestRequest: newer.newestRequest ?? older.newestRequest,
    instructions: mergeTexts(newer.instructions, older.instructions),
    errors: mergeErrors(newer, older),
    settled: newer.settled,
    statements: mergeTexts(newer.statements, older.statements),
    environment: distinct([...newer.environment, ...older.environment]),
    files: mergeFiles(newer.files, older.files),
    commands: mergeCommands(newer.commands, older.commands),
    done: distinct([...newer.done, ...older.done]).filter((text) => !isOpen.has(text)),
    open,
    hasTodos: newer.hasTodos || older.hasTodos,
    notes: mergeLists(newer.notes, older.notes),
    others: mergeLists(newer.others, older.others),
    hidden: new Map(
      // A newer todo list is whole: what an older one had no room for does not count any more.
      [...older.hidden].filter(([noun]) => !(newer.hasTodos && noun === "open todos")),
    ),
  };
}

/** The runs of each command together, with the newest outcome. */
export function mergeCommands(
  newer: readonly CommandRuns[],
  older: readonly CommandRuns[],
): readonly CommandRuns[] {
  const newest = new Map<string, CommandRuns>();
  const runs = new Map<string, number>();
  for (const run of [...newer, ...older]) {
    if (run.command === "") continue;
    const known = runs.get(run.command);
    if (known === undefined) newest.set(run.command, run);
    runs.set(run.command, (known ?? 0) + run.runs);
  }
  return Array.from(newest.values(), (run) => {
    const all = runs.get(run.command) ?? run.runs;
    return all === run.runs ? run : { ...run, runs: all };
  });
}

/** An older error stands unless newer facts know what became of the same thing. */
function mergeErrors(newer: Facts, older: Facts): readonly OpenError[] {
  const known = new Set(newer.errors.map(errorKey));
  const standing = older.errors.filter(
    (error) => !newer.settled.has(error.subject) && !known.has(errorKey(error)),
  );
  return [...newer.errors, ...standing];
}

/** The operations of both, the older ones first, each once at its last place. */
export function mergeFiles(
  newer: readonly FileMention[],
  older: readonly FileMention[],
): readonly FileMention[] {
  const merged = new Map(newer.map((file) => [file.path, file]));
  const gone = newer.filter(({ path, ops }) => path.endsWith("/") && ops.at(-1) === "deleted");
  for (const { path, ops, role } of older) {
    const known = merged.get(path);
    const isGone = known === undefined && gone.some((folder) => path.startsWith(folder.path));
    const later = isGone ? (["deleted"] as const) : (known?.ops ?? []);
    const earlier = ops.filter((op) => !later.some((other) => other === op));
    merged.set(path, { path, ops: [...earlier, ...later], role: known?.role ?? role });
  }
  return [...merged.values()];
}

/** A text that an earlier summary clipped is the same fact as the whole one. */
function mergeTexts(newer: readonly string[], older: readonly string[]): readonly string[] {
  if (older.length === 0) return newer;
  const isKnown = (text: string): boolean => {
    const start = clippedStart(text);
    return start !== undefined && newer.some((whole) => whole.startsWith(start));
  };
  return distinct([...newer, ...older.filter((text) => !isKnown(text))]);
}

function mergeLists<K>(
  newer: ReadonlyMap<K, readonly string[]>,
  older: ReadonlyMap<K, readonly string[]>,
): ReadonlyMap<K, readonly string[]> {
  const keys = new Set([...newer.keys(), ...older.keys()]);
  return new Map(
    [...keys].map((key) => [key, distinct([...(newer.get(key) ?? []), ...(older.get(key) ?? [])])]),
  );
}

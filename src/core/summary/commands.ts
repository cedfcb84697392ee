import type { CommandFact } from "../ledger/index.ts";
import { oneLine } from "../text/clean.ts";
import { list } from "./fact-list.ts";
import type { FactList } from "./lists.ts";
import { codeSpan, shownCommand } from "./one-line.ts";
import { perFact } from "./per-fact.ts";

/** What is told elsewhere. */
interface Told {
  /** Commands that stand below, as they were typed. */
  readonly standing?: ReadonlySet<string>;
  /** Commands that are listed with how they failed, as they are shown. */
  readonly failures?: ReadonlySet<string>;
}

const shownOf = perFact(({ command }: CommandFact, cwd: string | undefined) =>
  shownCommand(command, cwd),
);

/** What only looked is told by the files and names that it showed. */
function isNoDeed({ looks, output }: CommandFact): boolean {
  return looks === true && output === undefined;
}

/**
 * The runs of each command together, with the newest outcome, in the order of time. Old ones are kept
 * where nothing else names their whole output.
 */
export function commandList(
  commands: readonly CommandFact[],
  cwd: string | undefined,
  { standing, failures }: Told = {},
): FactList {
  const runs = new Map<
    string,
    { readonly newest: CommandFact; readonly at: number; count: number }
  >();
  const looks = new Set<string>();
  for (let at = commands.length - 1; at >= 0; at--) {
    const newest = commands[at] as CommandFact;
    const known = shownOf(newest, cwd);
    if (standing?.has(newest.command) === true || known === "") continue;
    const run = runs.get(known);
    if (run !== undefined) run.count++;
    else if (isNoDeed(newest)) looks.add(known);
    else if (failures?.has(known) !== true) runs.set(known, { newest, at, count: 1 });
  }
  const entries = Array.from(runs, ([command, { newest, at, count }]) => ({
    at,
    text: () => commandLine(command, newest, count),
    isSpilled: newest.output !== undefined,
  }));
  const keep = entries.filter(({ isSpilled }) => isSpilled);
  return list("commands", entries, { keep, inTime: true, unlisted: looks.size });
}

function commandLine(
  command: string,
  { outcome, exitCode, output }: CommandFact,
  count: number,
): string {
  const exit = exitCode === undefined || outcome === "ok" ? "" : ` (exit ${exitCode})`;
  // Where nobody recorded how it ended, nothing is said of it.
  const result = outcome === "unknown" ? "" : `: ${outcome}${exit}`;
  const runs = count > 1 ? `, ${count} runs` : "";
  // The agent knows the whole output by this name, which would be gone with its notice.
  const whole = output === undefined ? "" : `, whole output ${oneLine(output)}`;
  return `${codeSpan(command)}${result}${runs}${whole}`;
}

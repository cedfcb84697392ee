import type { CommandFact } from "../ledger/index.ts";
import { oneLine } from "../text/clean.ts";
import { list } from "./fact-list.ts";
import type { FactList } from "./lists.ts";
import { codeSpan, shownCommand } from "./one-line.ts";

/**
 * The runs of each command together, with the newest outcome, in the order of time. Old ones are kept
 * where nothing else names their whole output.
 */
export function commandList(
  commands: readonly CommandFact[],
  cwd: string | undefined,
  standing?: ReadonlySet<string>,
): FactList {
  const runs = new Map<
    string,
    { readonly newest: CommandFact; readonly at: number; count: number }
  >();
  // Most commands are run again as they were typed, and are brought into shape once.
  const shown = new Map<string, string>();
  for (let at = commands.length - 1; at >= 0; at--) {
    const newest = commands[at] as CommandFact;
    const known = shown.get(newest.command) ?? shownCommand(newest.command, cwd);
    shown.set(newest.command, known);
    if (standing?.has(newest.command) === true) continue;
    const run = runs.get(known);
    if (run !== undefined) run.count++;
    else if (known !== "") runs.set(known, { newest, at, count: 1 });
  }
  const entries = Array.from(runs, ([command, { newest, at, count }]) => {
    const { outcome, exitCode, output } = newest;
    const exit = exitCode === undefined || outcome === "ok" ? "" : ` (exit ${exitCode})`;
    const result = outcome === "unknown" ? "outcome unknown" : `${outcome}${exit}`;
    const runs = count > 1 ? `, ${count} runs` : "";
    // The agent knows the whole output by this name, which would be gone with its notice.
    const whole = output === undefined ? "" : `, whole output ${oneLine(output)}`;
    const text = `${codeSpan(command)}: ${result}${runs}${whole}`;
    return { at, text: () => text, isSpilled: output !== undefined };
  });
  const keep = entries.filter(({ isSpilled }) => isSpilled);
  return list("commands", entries, { keep, inTime: true });
}

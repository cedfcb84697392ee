import type { CommandFact } from "../ledger/index.ts";
import { oneLine } from "../text/clean.ts";
import { longList } from "./fact-list.ts";
import type { Entry, FactList } from "./lists.ts";
import { addNewest, lazily, newestFirst } from "./newest.ts";
import { codeSpan, shownCommand } from "./one-line.ts";

/** The commands that ran, run after run: each once, where it ran last. */
export interface CommandIndex {
  add(commands: readonly CommandFact[]): void;
  /**
   * The runs of each command together, with the newest outcome, in the order of time. Old ones are
   * kept where nothing else names their whole output.
   */
  list(around: AroundCommands): FactList;
}

/** What decides how commands are shown. */
export interface AroundCommands {
  /** Commands that stand below, as they were typed. */
  readonly standing?: ReadonlySet<string>;
  /** Commands that are listed with how they failed, as they are shown. */
  readonly failures?: ReadonlySet<string>;
}

/** The runs of one command. */
interface Runs {
  /** As it is shown. */
  readonly command: string;
  /** The newest one that did something. */
  readonly newest: CommandFact;
  readonly at: number;
  /** How many there were up to that one. */
  readonly count: number;
  total: number;
}

/** What only looked is told by the files and names that it showed. */
function isNoDeed({ looks, output }: CommandFact): boolean {
  return looks === true && output === undefined;
}

export function createCommandIndex(cwd: string | undefined): CommandIndex {
  const deeds = new Map<string, Runs>();
  const spilled = new Map<string, Runs>();
  /** How often a command ran that only looked so far. */
  const looks = new Map<string, number>();
  let next = 0;

  const add = (newest: CommandFact): void => {
    const at = next++;
    const command = shownCommand(newest.command, cwd);
    if (command === "") return;
    const known = deeds.get(command);
    if (isNoDeed(newest)) {
      if (known === undefined) looks.set(command, (looks.get(command) ?? 0) + 1);
      else known.total++;
      return;
    }
    const total = (known?.total ?? looks.get(command) ?? 0) + 1;
    const runs = { command, newest, at, count: total, total };
    looks.delete(command);
    addNewest(deeds, command, runs);
    spilled.delete(command);
    if (newest.output !== undefined) spilled.set(command, runs);
  };

  return {
    add: (commands) => commands.forEach(add),
    list({ standing = new Set(), failures = new Set() }) {
      const below = new Set([...standing].map((command) => shownCommand(command, cwd)));
      const isTold = (command: string): boolean => below.has(command) || failures.has(command);
      const told = [...new Set([...below, ...failures])];
      const size =
        deeds.size +
        looks.size -
        told.filter((command) => deeds.has(command)).length -
        [...below].filter((command) => looks.has(command)).length;
      const made = new Map<Runs, Entry>();
      const entryOf = (runs: Runs): Entry => {
        const known = made.get(runs) ?? { at: runs.at, text: () => commandLine(runs) };
        made.set(runs, known);
        return known;
      };
      const entriesOf = (all: ReadonlyMap<string, Runs>): Iterable<Entry> =>
        lazily(function* () {
          for (const runs of newestFirst(all)) if (!isTold(runs.command)) yield entryOf(runs);
        });
      const keep = entriesOf(spilled);
      return longList("commands", { entries: entriesOf(deeds), size, keep, inTime: true });
    },
  };
}

function commandLine({ command, newest, count }: Runs): string {
  const { outcome, exitCode, output } = newest;
  const exit = exitCode === undefined || outcome === "ok" ? "" : ` (exit ${exitCode})`;
  // Where nobody recorded how it ended, nothing is said of it.
  const result = outcome === "unknown" ? "" : `: ${outcome}${exit}`;
  const runs = count > 1 ? `, ${count} runs` : "";
  // The agent knows the whole output by this name, which would be gone with its notice.
  const whole = output === undefined ? "" : `, whole output ${oneLine(output)}`;
  return `${codeSpan(command)}${result}${runs}${whole}`;
}

import type { CommandFact } from "../ledger/index.ts";
import { commandSubject } from "../ledger/books.ts";
import { oneLine } from "../text/clean.ts";
import { type Entry, type FactList, longList } from "./fact-list.ts";
import { addNewest, newestFirst } from "./newest.ts";
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

/** Facts that decide how commands are shown. */
export interface AroundCommands {
  /** Commands that stand below, as they were typed. */
  readonly standing?: Iterable<string>;
  /** Subjects of errors that are listed: commands that failed. */
  readonly failures?: Iterable<string>;
}

/** The runs of one command, as an entry of a list: the newest one that did something. */
interface Runs extends Entry {
  /** As it is shown, or the key of a tool. */
  readonly command: string;
  /** As it was typed. */
  readonly typed: string;
  total: number;
}

/** A look is told by the files and names that it showed. */
function isNoDeed({ looks, output }: CommandFact): boolean {
  return looks === true && output === undefined;
}

export function createCommandIndex(cwd: string | undefined): CommandIndex {
  const deeds = new Map<string, Runs>();
  const spilled = new Map<string, Runs>();
  /** The number of runs of a command that only looked so far. */
  const looks = new Map<string, number>();
  let next = 0;

  const add = (newest: CommandFact): void => {
    const at = next++;
    // A call that is about nothing has its tool's name twice.
    const typed = newest.command === newest.tool ? "" : newest.command;
    const shown = shownCommand(typed, cwd);
    // Calls of a tool that nobody knows are many, and told by its name. A command has only one line.
    const command = newest.tool === undefined ? shown : `${newest.tool}\n`;
    if (command.trim() === "") return;
    const known = deeds.get(command);
    if (isNoDeed(newest)) {
      if (known === undefined) looks.set(command, (looks.get(command) ?? 0) + 1);
      else known.total++;
      return;
    }
    const total = (known?.total ?? looks.get(command) ?? 0) + 1;
    const runs = {
      command,
      typed,
      at,
      text: () => commandLine(shown, newest, total),
      total,
    };
    looks.delete(command);
    addNewest(deeds, command, runs);
    spilled.delete(command);
    if (newest.output !== undefined) spilled.set(command, runs);
  };

  return {
    add: (commands) => commands.forEach(add),
    list({ standing = [], failures = [] }) {
      const below = new Set(Array.from(standing, (command) => shownCommand(command, cwd)));
      const failed = new Set(failures);
      const isTold = ({ command, typed }: Runs): boolean =>
        below.has(command) || (failed.size > 0 && failed.has(commandSubject([typed])));
      const entriesOf = (all: ReadonlyMap<string, Runs>): readonly Runs[] =>
        newestFirst(all).filter((runs) => !isTold(runs));
      const entries = entriesOf(deeds);
      const looked = [...below].filter((command) => looks.has(command)).length;
      const size = entries.length + looks.size - looked;
      return longList("commands", { entries, size, keep: entriesOf(spilled), inTime: true });
    },
  };
}

function commandLine(
  command: string,
  { tool, outcome, exitCode, output }: CommandFact,
  count: number,
): string {
  const exit = exitCode === undefined || outcome === "ok" ? "" : ` (exit ${exitCode})`;
  // An end that nobody recorded is not told.
  const result = outcome === "unknown" ? "" : `: ${outcome}${exit}`;
  const runs = count > 1 ? `, ${count} runs` : "";
  // The agent knows the whole output by this name, which would be gone with its notice.
  const whole = output === undefined ? "" : `, whole output ${oneLine(output)}`;
  const about = command === "" ? "" : `: ${count > 1 ? "newest " : ""}${codeSpan(command)}`;
  const called = tool === undefined ? codeSpan(command) : `${codeSpan(oneLine(tool))}${about}`;
  return `${called}${result}${runs}${whole}`;
}

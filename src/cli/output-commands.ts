import { type Command, Option } from "commander";
import type { Io } from "./io.ts";
import { numberOption, secondsOption } from "./option-values.ts";

/** Takes the exit code of a command that has its own. */
export type SetExitCode = (code: number) => void;

export function addRun(program: Command, io: Io, setExitCode: SetExitCode): void {
  cutOptions(program.command("run"), "head for compilers, else both")
    .summary("run a command and print what fits of its output")
    .description(
      "Runs a command. On a terminal its output is shown as it comes; else the part that fits is printed, and a notice that says where the whole is. The exit code is that of the command: 128 and the number of the signal that ended it, 124 after a time-out, 127 if there is no such command. A single argument is a line for sh.",
    )
    .argument("<command...>", "after --, e.g. -- npm test, or -- 'make 2>&1 | grep -v note'")
    .addOption(
      new Option("--timeout <seconds>", "end the command after so long").argParser(secondsOption),
    )
    .addOption(
      new Option(
        "--max-file <bytes>",
        "no file that the command writes grows beyond this (default: only the output is limited, to 4 GiB)",
      ).argParser(numberOption),
    )
    .passThroughOptions()
    .action(async (words: readonly string[], options) => {
      const { runCommandLine } = await import("./run.ts");
      setExitCode(await runCommandLine(io, words, options));
    });
}

export function addTruncate(program: Command, io: Io): void {
  cutOptions(program.command("truncate"), "tail")
    .summary("let through what fits of an output on stdin")
    .description(
      "Reads an output on stdin and prints the part of it that fits. If something was left out, the whole goes to the archive and a notice says where it is.",
    )
    .action(async (options) => {
      const { standardInput, truncateCommand } = await import("./truncate.ts");
      await truncateCommand(io, standardInput(), options);
    });
}

/** What every command that cuts an output has. */
function cutOptions(command: Command, direction: string): Command {
  return command
    .addOption(
      new Option("--direction <end>", `which end stays (default: ${direction})`).choices([
        "tail",
        "head",
        "both",
      ]),
    )
    .addOption(new Option("--max-lines <lines>", "(default: 2000)").argParser(numberOption))
    .addOption(
      new Option("--max-bytes <bytes>", "of UTF-8 (default: 50000)").argParser(numberOption),
    )
    .option("--keep", "keep the whole output even if nothing was cut")
    .option("--json", "print the result as JSON");
}

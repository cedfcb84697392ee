import { type Command, InvalidArgumentError, Option } from "commander";
import { parseDuration, parseRange, parseSize } from "./view/figures.ts";
import type { Io } from "./io.ts";
import { numberOption } from "./option-values.ts";

/** `longhaul recall`. */
export function addRecall(program: Command, io: Io): void {
  program
    .command("recall")
    .summary("print an original from the archive, or search all of them")
    .description(
      "Prints the original that a handle names, byte for byte: a truncated or pruned output, a clipped piece, or the head of a compacted conversation. Or searches everything that was archived, newest first.",
    )
    .argument("[handle]", "as a context names it, e.g. out_0123456789abcdef")
    .addOption(rangeOption("--lines <range>", "only these lines, e.g. 120-180 or 120-"))
    .addOption(rangeOption("--bytes <range>", "only these bytes, the first is 0, e.g. 0-20000"))
    .option("--search <text>", "look for a text in every line")
    .option("--regex", "the text is a regular expression (RE2)")
    .addOption(
      new Option("--context <lines>", "lines around a hit (default: 0)").argParser(wholeOption),
    )
    .addOption(new Option("--limit <hits>", "the most hits (default: 50)").argParser(numberOption))
    .option("--json", "print the result as JSON")
    .action(async (handle: string | undefined, options) => {
      const { recallCommand } = await import("./recall.ts");
      await recallCommand(io, handle, options);
    });
}

/** `longhaul gc`. */
export function addGc(program: Command, io: Io): void {
  program
    .command("gc")
    .summary("remove what is old from the archive")
    .description(
      "Removes originals that were not used for long, and the oldest when the archive is too large; never what a live conversation holds. Equal files become one. It also runs by itself, at most once an hour.",
    )
    .option("--dry-run", "only tell what would be done")
    .addOption(
      new Option("--older-than <time>", "what was not used for so long (default: 7d)").argParser(
        (text) => parsed(parseDuration(text), "Give a time such as 12h, 7d or 2w."),
      ),
    )
    .addOption(
      new Option("--max-size <size>", "how large the archive may be (default: 2GB)").argParser(
        (text) => parsed(parseSize(text), "Give a size such as 500MB or 2GB."),
      ),
    )
    .option("--json", "print the result as JSON")
    .action(async (options) => {
      const { gcCommand } = await import("./gc.ts");
      await gcCommand(io, options);
    });
}

function rangeOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) =>
    parsed(parseRange(text), "Give two numbers such as 120-180, or 120- for all that follows."),
  );
}

function wholeOption(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Give a whole number from 0 on.");
  return Number(text);
}

function parsed<T>(value: T | undefined, advice: string): T {
  if (value === undefined) throw new InvalidArgumentError(advice);
  return value;
}

import { type Command, Option } from "commander";
import { createReadStream, fstatSync } from "node:fs";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { outputsOfToday } from "../archive/home.ts";
import { homeArchive } from "../settings/home-archive.ts";
import { errorCode } from "../archive/archive-error.ts";
import { ContextError, errorMessage, wrongUse } from "../core/error.ts";
import { createSpill, type SpillResult } from "../spill/create-spill.ts";
import { type CommonOptions, type Io, printJson } from "./io.ts";
import { numberOption } from "./options.ts";
import type { Direction, Limits } from "../core/truncate/index.ts";

/** Options of a cut. */
export interface CutFlags {
  readonly direction?: Direction;
  readonly maxLines?: number;
  readonly maxBytes?: number;
}

interface TruncateFlags extends CommonOptions, CutFlags {
  readonly keep?: boolean;
}

/** `… | longhaul truncate`. */
export function define(command: Command, io: Io): void {
  cutOptions(command, "tail")
    .description(
      "Reads an output on stdin and prints the part of it that fits. If something was left out, the whole goes to the archive and a notice says where it is.",
    )
    .action((options) => truncateCommand(io, standardInput(), options));
}

/** Options of every command that cuts an output. */
export function cutOptions(command: Command, direction: string): Command {
  return command
    .addOption(
      new Option("--direction <end>", `which end stays (default: ${direction})`).choices([
        "tail",
        "head",
        "both",
      ]),
    )
    .option("--max-lines <lines>", "the lines that stay (default: 2000)", numberOption)
    .option("--max-bytes <bytes>", "and their bytes, in UTF-8 (default: 50000)", numberOption)
    .option("--keep", "keep the whole output even if nothing was cut");
}

/** The output that comes in on stdin. */
type Input = Readable & { readonly isTTY?: boolean };

/**
 * The stdin of this process. Throws `invalid-options` where nothing can come: a terminal, or the null
 * device, which also stands for a closed one. (Of a folder, Node itself makes an empty stream.)
 */
function standardInput(): Input {
  const stats = fstatSync(0);
  if (stats.isCharacterDevice()) throw nothingToRead();
  const isOdd = stats.isDirectory() || stats.isBlockDevice();
  return isOdd ? createReadStream("", { fd: 0, autoClose: false }) : process.stdin;
}

/**
 * `… | longhaul truncate`: lets a small output through, and cuts a large one. Throws
 * `unreadable-file` when nothing of it can be read.
 */
export async function truncateCommand(io: Io, input: Input, flags: TruncateFlags): Promise<void> {
  const spill = createSpill({
    ...cutSettings(flags),
    archive: homeArchive(io.env, { conversation: outputsOfToday() }),
    keep: flags.keep,
  });
  const failure = await pipeline(input, spill.input).catch((error: unknown) => ({ error }));
  const result = await spill.finish();
  if (failure !== undefined && spill.bytes() === 0) throw unreadable(failure.error);
  // A warning tells of what could not be read, after what could.
  if (flags.json === true) printJson(io, cutJson(result));
  else io.stdout.write(result.truncation.isTruncated ? `${result.text}\n` : result.text);
}

/** The options of the library for what was typed. */
export function cutSettings(flags: CutFlags): {
  readonly limits: Partial<Limits>;
  readonly direction?: Direction;
} {
  const { direction, maxLines, maxBytes } = flags;
  return { limits: { maxLines, maxBytes }, direction };
}

/** The JSON of both commands. */
export function cutJson({ text, truncation, entry, warnings }: SpillResult): object {
  const { isTruncated, direction, total, kept, omitted } = truncation;
  return {
    version: 1,
    text,
    isTruncated,
    direction,
    total,
    kept,
    omitted,
    handle: entry?.handle,
    path: entry?.path,
    warnings,
  };
}

function nothingToRead(): ContextError {
  return wrongUse(
    "There is nothing to read on stdin. Pipe an output into it: COMMAND | longhaul truncate",
  );
}

function unreadable(cause: unknown): ContextError {
  const code = errorCode(cause) ?? errorMessage(cause);
  const why = code === "EISDIR" ? "it is a folder" : code;
  return new ContextError(
    "unreadable-file",
    `Nothing could be read on stdin: ${why}. Pipe an output into it: COMMAND | longhaul truncate`,
    { details: { code }, cause },
  );
}

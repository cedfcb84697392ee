import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { directoryArchive } from "../archive/directory.ts";
import { archiveFolder } from "../archive/home.ts";
import { ContextError } from "../core/error.ts";
import type { Direction, Limits } from "../core/truncate/index.ts";
import { createSpill, type SpillResult } from "../spill/index.ts";
import { type CommonOptions, type Io, printJson } from "./io.ts";

/** How an output is cut. */
export interface CutFlags {
  readonly direction?: Direction;
  readonly maxLines?: number;
  readonly maxBytes?: number;
}

export interface TruncateFlags extends CommonOptions, CutFlags {
  readonly keep?: boolean;
}

/** `… | longhaul truncate`: lets a small output through, and cuts a large one. */
export async function truncateCommand(
  io: Io,
  input: Readable & { readonly isTTY?: boolean },
  flags: TruncateFlags,
): Promise<void> {
  if (input.isTTY === true) throw nothingToRead();
  const spill = createSpill({
    ...cutOptions(flags),
    archive: directoryArchive(archiveFolder(io.env)),
    ...(flags.keep !== undefined && { keep: flags.keep }),
  });
  // What could not be read is told by a warning, after what could.
  await pipeline(input, spill.node).catch(() => undefined);
  const result = await spill.finish();
  if (flags.json === true) printJson(io, cutJson(result));
  else io.stdout.write(result.truncation.isTruncated ? `${result.text}\n` : result.text);
}

/** The options of the library for what was typed. */
export function cutOptions(flags: CutFlags): {
  readonly limits: Partial<Limits>;
  readonly direction?: Direction;
} {
  const { direction, maxLines, maxBytes } = flags;
  return {
    limits: {
      ...(maxLines !== undefined && { maxLines }),
      ...(maxBytes !== undefined && { maxBytes }),
    },
    ...(direction !== undefined && { direction }),
  };
}

/** What both commands print with `--json`. */
export function cutJson({ text, truncation, entry, warnings }: SpillResult): object {
  const { isTruncated, direction, total, kept, omitted } = truncation;
  return {
    version: 1,
    text,
    isTruncated,
    direction,
    total,
    kept,
    ...(omitted !== undefined && { omitted }),
    ...(entry !== undefined && { handle: entry.handle, path: entry.path }),
    warnings,
  };
}

function nothingToRead(): ContextError {
  return new ContextError(
    "invalid-options",
    "There is nothing to read on stdin. Pipe an output into it: COMMAND | longhaul truncate",
  );
}

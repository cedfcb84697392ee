import type { Command } from "commander";
import { collectGarbage, type GarbageReport, type StoredAmount } from "../archive/retention.ts";
import { archiveFolder } from "../archive/home.ts";
import { bytes, count, plural } from "../core/text/figures.ts";
import { type CommonOptions, type Io, talk, tell } from "./io.ts";
import { durationOption, sizeOption } from "./options.ts";

interface GcOptions extends CommonOptions {
  readonly dryRun?: boolean;
  /** ms. */
  readonly olderThan?: number;
  /** Bytes. */
  readonly maxSize?: number;
}

/** `longhaul gc`: retention, by hand. */
export function define(command: Command, io: Io): void {
  command
    .description(
      "Removes conversations that were not used for long, and the longest unused when the archive is too large; never one that was used within a day. What a journal, a written session or a result names goes only by a limit that you give, here or as retention in your longhaul.json. It also runs by itself, at most once an hour.",
    )
    .option("--dry-run", "only tell what would be done")
    .option(
      "--older-than <time>",
      "what was not used for so long (default: your longhaul.json, 7d)",
      durationOption,
    )
    .option(
      "--max-size <size>",
      "how large the archive may be (default: your longhaul.json, 2GB)",
      sizeOption,
    )
    .action((options) => gcCommand(io, options));
}

async function gcCommand(io: Io, { dryRun, olderThan, maxSize, json }: GcOptions): Promise<void> {
  const folder = archiveFolder(io.env);
  const { ownRetention } = await import("../settings/settings.ts");
  const own = (await ownRetention(io.env)) || {};
  const report = await collectGarbage(folder, {
    dryRun: dryRun === true,
    maxAgeMs: olderThan ?? own.maxAgeMs,
    maxBytes: maxSize ?? own.maxBytes,
  });
  tell(io, { json }, { archive: folder, ...report }, () => gcView(report));
  if (json !== true) for (const warning of report.warnings) talk(io, warning);
}

/** So many conversations are named; `--json` has them all. */
const SHOWN_NAMES = 20;

function gcView({ dryRun, ran, removed, kept, names }: GarbageReport): readonly string[] {
  if (!ran) return ["Nothing was done."];
  const more = names.length - SHOWN_NAMES;
  return [
    `${dryRun ? "Would remove" : "Removed"} ${amount(removed)}${names.length > 0 ? ", longest unused first:" : "."}`,
    ...names.slice(0, SHOWN_NAMES).map((name) => `  ${name}`),
    ...(more > 0 ? [`  and ${count(more)} more; --json has them all`] : []),
    `${dryRun ? "Would keep" : "Kept"} ${amount(kept)}.`,
  ];
}

function amount({ conversations, originals, bytes: size }: StoredAmount): string {
  return `${plural(conversations, "conversation")} with ${plural(originals, "original")} (${bytes(size)})`;
}

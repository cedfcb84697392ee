import { collectGarbage, type GarbageReport, type StoredAmount } from "../archive/retention.ts";
import { archiveFolder } from "../archive/home.ts";
import { bytes, plural } from "./view/figures.ts";
import { type CommonOptions, type Io, printJson, printLines } from "./io.ts";

export interface GcOptions extends CommonOptions {
  readonly dryRun?: boolean;
  /** ms. */
  readonly olderThan?: number;
  /** Bytes. */
  readonly maxSize?: number;
}

/** `longhaul gc`: retention, by hand. */
export async function gcCommand(
  io: Io,
  { dryRun, olderThan, maxSize, json }: GcOptions,
): Promise<void> {
  const folder = archiveFolder(io.env);
  const report = await collectGarbage(folder, {
    dryRun: dryRun === true,
    maxAgeMs: olderThan,
    maxBytes: maxSize,
  });
  if (json === true) printJson(io, { version: 1, archive: folder, ...report });
  else printLines(io, gcView(report));
  if (json !== true) for (const warning of report.warnings) io.stderr.write(`${warning}\n`);
}

function gcView({ dryRun, ran, removed, kept }: GarbageReport): readonly string[] {
  if (!ran) return ["Nothing was done."];
  return [
    `${dryRun ? "Would remove" : "Removed"} ${amount(removed)}.`,
    `${dryRun ? "Would keep" : "Kept"} ${amount(kept)}.`,
  ];
}

function amount({ conversations, originals, bytes: size }: StoredAmount): string {
  return `${plural(conversations, "conversation")} with ${plural(originals, "original")} (${bytes(size)})`;
}

import { collectGarbage, type GarbageReport } from "../archive/retention/collect-garbage.ts";
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
    ...(olderThan !== undefined && { maxAgeMs: olderThan }),
    ...(maxSize !== undefined && { maxBytes: maxSize }),
  });
  if (json === true) printJson(io, { version: 1, archive: folder, ...report });
  else printLines(io, gcView(report));
  if (json !== true) for (const warning of report.warnings) io.stderr.write(`${warning}\n`);
}

function gcView({ dryRun, ran, removed, linked, kept, live }: GarbageReport): readonly string[] {
  if (!ran) return ["Nothing was done."];
  const [remove, become] = dryRun ? ["Would remove", "would become"] : ["Removed", "became"];
  return [
    `${remove} ${plural(removed.originals, "original")} (${bytes(removed.bytes)}).`,
    ...(linked.files === 0
      ? []
      : [`${plural(linked.files, "equal file")} ${become} one (${bytes(linked.bytes)}).`]),
    `${dryRun ? "Would keep" : "Kept"} ${plural(kept.originals, "original")} (${bytes(kept.bytes)}), ${plural(live.length, "live conversation")}.`,
  ];
}

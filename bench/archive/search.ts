/**
 * Search of a 2 GB archive next to grep: `npx tsx bench/archive/search.ts [GIGABYTES]`. The archive
 * holds what agents archive: many small outputs, some large ones, few huge ones. Every row is a
 * process of its own; the files are in the page cache.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directoryArchive } from "../../src/archive/directory.ts";
import { searchArchive } from "../../src/archive/index.ts";
import { inChild, median } from "../speed/measure.ts";
import { figure, markdownTable } from "../speed/table.ts";

const RUNS = 5;
const COMMON = { limit: 1_000_000_000, maxBytes: 1e9, timeoutMs: 600_000 } as const;

interface Pattern {
  readonly what: string;
  readonly pattern: string;
  readonly regex: boolean;
}

const PATTERNS: readonly Pattern[] = [
  { what: "a text that is not there", pattern: "segmentation fault", regex: false },
  { what: "a short text that is in three places", pattern: "NEEDLE", regex: false },
  {
    what: "a regular expression with a fixed part",
    pattern: "NEEDLE-\\d+ at 0x[0-9a-f]+",
    regex: true,
  },
  { what: "a regular expression without one", pattern: "(?i)(panic|fatal): \\w+", regex: true },
  {
    what: "one that every line matches in part",
    pattern: "\\d+\\.\\d+\\.\\d+\\.\\d+",
    regex: true,
  },
  { what: "one that says nothing about the bytes", pattern: "^\\w+$", regex: true },
];

/** Lines as a build or a server prints them. */
function logLines(bytes: number, seed: number): string {
  const lines: string[] = [];
  for (let size = 0, at = seed; size < bytes; at = (at * 48_271) % 2_147_483_647) {
    const line = `2026-03-0${(at % 9) + 1}T10:${at % 60}:07.${at % 1000}Z ${at % 7 === 0 ? "WARN" : "INFO"} worker-${at % 32} request ${at} GET /api/v1/items/${at % 997} took ${at % 431} ms\n`;
    lines.push(line);
    size += line.length;
  }
  return lines.join("");
}

async function fillArchive(folder: string, gigabytes: number): Promise<number> {
  const archive = directoryArchive(folder, { retention: false });
  const block = logLines(4_000_000, 7);
  let originals = 0;
  const spill = async (bytes: number): Promise<void> => {
    const file = await archive.open?.("out");
    if (file === undefined) throw new Error("The archive has no files.");
    for (let size = 0; size < bytes; size += block.length) writeSync(file.fd, block);
    writeSync(file.fd, `NEEDLE-${originals} at 0xff\n`);
    await file.commit();
    originals++;
  };
  for (let index = 0; index < 3; index++) await spill((gigabytes * 1e9) / 5);
  let left = gigabytes * 1e9 * 0.4;
  for (let index = 0; left > 0; index++) {
    const text = logLines([3_000, 20_000, 200_000][index % 3] ?? 0, index + 11);
    await archive.put("out", text);
    left -= text.length;
    originals++;
  }
  return originals;
}

interface Run {
  readonly wall: number;
  /** Bytes above the process before the search. */
  readonly memory: number;
  readonly hits: number;
}

async function ours(folder: string, { pattern, regex }: Pattern): Promise<Run> {
  const archive = directoryArchive(folder, { retention: false, observe: true });
  const before = process.memoryUsage.rss();
  const start = performance.now();
  const { hits } = await searchArchive(archive, pattern, { ...COMMON, regex });
  const wall = performance.now() - start;
  return { wall, memory: process.resourceUsage().maxRSS * 1024 - before, hits: hits.length };
}

function grep(folder: string, { pattern, regex }: Pattern, flags: readonly string[]): number {
  const walls = Array.from({ length: RUNS }, () => {
    const kind = regex ? "-P" : "-F";
    const start = performance.now();
    spawnSync("grep", ["-r", ...flags, kind, "-e", pattern, folder], { stdio: "ignore" });
    return performance.now() - start;
  });
  return median(walls);
}

async function main(gigabytes: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "longhaul-bench-"));
  try {
    const originals = await fillArchive(folder, gigabytes);
    execFileSync("sh", [
      "-c",
      `cat $(find ${folder} -name 'run_*') > /dev/null; grep -rc x ${folder} > /dev/null`,
    ]);
    const lines = PATTERNS.map((pattern) => {
      const runs = Array.from({ length: RUNS }, () =>
        inChild<Run>(["--one", folder, JSON.stringify(pattern)]),
      );
      const wall = median(runs.map((run) => run.wall));
      const count = grep(folder, pattern, ["-c"]);
      return [
        pattern.what,
        figure(wall),
        figure(count),
        figure(wall / count),
        figure(Math.max(...runs.map(({ memory }) => memory)) / 1e6),
        String(runs[0]?.hits ?? 0),
      ];
    });
    const header = ["", "ours ms", "grep -rc ms", "ratio", "memory MB", "hits"];
    process.stdout.write(
      `${gigabytes} GB in ${originals.toLocaleString("en-US")} originals.\n\n${markdownTable(header, lines)}\n`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [mode, folder = "", pattern = ""] = process.argv.slice(2);
if (mode === "--one") {
  process.stdout.write(JSON.stringify(await ours(folder, JSON.parse(pattern) as Pattern)));
} else {
  await main(Number(mode ?? 2));
}

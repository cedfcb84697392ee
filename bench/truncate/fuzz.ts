/**
 * 100,000 random outputs through T15, with everything that a careless cut breaks: colours, progress
 * bars, emoji, marks, CRLF, NULs, broken UTF-8, noise, one huge line. For each of them, as text and
 * as bytes of which only the ends are held: both limits hold, the cut decodes, something is shown,
 * a second truncation changes nothing, and what the archive has is what the tool printed.
 *
 *     npx tsx bench/truncate/fuzz.ts [outputs] [first seed]
 */
import { decodeUtf8 } from "../../src/core/text/utf8.ts";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { directoryArchive } from "../../src/archive/directory.ts";
import {
  DEFAULT_LIMITS,
  type Direction,
  type Limits,
  truncateEnds,
  type Truncation,
  truncateText,
  windowBytes,
  withNotice,
} from "../../src/core/truncate/index.ts";
import { truncateAndArchive } from "../../src/tools/index.ts";
import { truncationFaults } from "../../test/core/truncate/check-truncation.ts";
import { oddOutput, type Random, seeded } from "../../test/core/truncate/odd-outputs.ts";

const DIRECTIONS: readonly Direction[] = ["tail", "head", "both"];
/** Every so many outputs, one goes through an archive of files and is compared byte for byte. */
const SPILL_EVERY = 20;
/** Every so many outputs, one is far beyond the default limits. */
const LARGE_EVERY = 50;
const MOST_REPORTED = 20;

const standard = new TextDecoder("utf-8", { ignoreBOM: true });

interface Case {
  readonly seed: number;
  readonly bytes: Uint8Array;
  readonly limits: Limits;
  readonly direction: Direction;
}

function makeCase(seed: number): Case {
  const random = seeded(seed);
  const isLarge = seed % LARGE_EVERY === 0;
  const pieces = isLarge ? 600 + below(random, 900) : 1 + below(random, 60);
  const bytes = oddOutput(random, pieces, random() < 0.3 ? 0.1 : 0);
  const limits = isLarge
    ? DEFAULT_LIMITS
    : { maxLines: 1 + below(random, 60), maxBytes: 4 + below(random, 4_000) };
  return { seed, bytes, limits, direction: DIRECTIONS[seed % 3] ?? "tail" };
}

const below = (random: Random, limit: number): number => Math.floor(random() * limit);

function faultsOf({ bytes, limits, direction }: Case): string[] {
  const options = { limits, direction };
  const text = standard.decode(bytes);
  const size = windowBytes(limits);
  const ends = { head: bytes.subarray(0, size), tail: bytes.subarray(-size) };
  const results: Readonly<Record<string, Truncation>> = {
    text: truncateText(text, options),
    bytes: truncateEnds({ head: bytes, tail: bytes, totalBytes: bytes.length, ...options }),
    ends: truncateEnds({ ...ends, totalBytes: bytes.length, ...options }),
  };
  const faults = Object.entries(results).flatMap(([name, truncation]) =>
    truncationFaults(truncation, limits).map((fault) => `${name}: ${fault}`),
  );
  if (decodeUtf8(bytes).text !== text) faults.push("decoded otherwise than the standard says");
  if (limits === DEFAULT_LIMITS) {
    const once = withNotice(results["text"] as Truncation, { path: "/a/out.txt" });
    if (truncateText(once, options).isTruncated) faults.push("truncated twice");
  }
  return faults;
}

async function spillFaults({ bytes, limits, direction }: Case, folder: string): Promise<string[]> {
  const text = standard.decode(bytes);
  const archive = directoryArchive(folder);
  const meta = { ...limits, direction };
  const { truncation, entry } = await truncateAndArchive(text, meta, { archive });
  if (!truncation.isTruncated) return entry === undefined ? [] : ["archived for nothing"];
  if (entry?.path === undefined) return ["not archived"];
  const stored = readFileSync(entry.path);
  return stored.equals(Buffer.from(text, "utf8")) ? [] : ["what was archived is something else"];
}

const outputs = Number(process.argv[2] ?? 100_000);
const firstSeed = Number(process.argv[3] ?? 1);
const folder = mkdtempSync(path.join(tmpdir(), "longhaul-fuzz-"));
const started = performance.now();
let bytes = 0;
let spilled = 0;
let failed = 0;
for (let seed = firstSeed; seed < firstSeed + outputs; seed++) {
  const one = makeCase(seed);
  const faults = faultsOf(one);
  if (seed % SPILL_EVERY === 0) {
    faults.push(...(await spillFaults(one, folder)));
    spilled++;
  }
  bytes += one.bytes.length;
  if (faults.length === 0) continue;
  failed++;
  if (failed <= MOST_REPORTED) console.log(`seed ${seed} (${one.direction}): ${faults.join("; ")}`);
}
rmSync(folder, { recursive: true, force: true });
const seconds = (performance.now() - started) / 1_000;
console.log(
  `${outputs} outputs, ${(bytes / 1e6).toFixed(0)} MB, ${spilled} of them through files: ${failed} with a fault (${seconds.toFixed(0)} s)`,
);
process.exitCode = failed === 0 ? 0 : 1;

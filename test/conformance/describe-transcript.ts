import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { isContextError } from "../../src/core/error.ts";
import { checkMessages } from "../../src/core/message/index.ts";
import {
  readTranscript,
  transcriptFormats,
  type ReadTranscriptOptions,
  type Transcript,
  type TranscriptFormat,
} from "../../src/transcripts/index.ts";
import { recording, RECORDINGS } from "../recordings.ts";
import { type Counts, countsOf } from "../transcripts/counts.ts";
import { runs } from "../property/runs.ts";

/** A recording and what is known of it beyond the manifest. */
export interface TranscriptCase {
  /** Path inside the folder of recordings, as the manifest has it; a name for one made by hand. */
  readonly file: string;
  /** A file made by hand from what its agent's schema says, where there is no recording. */
  readonly made?: { readonly bytes: Buffer; readonly counts: Counts };
  /** Counts in which the effective contexts differ from the manifest's of the whole file, and why. */
  readonly differs?: {
    readonly reason: string;
    readonly counts: { readonly [Name in keyof Counts]?: number };
  };
  /** Rules that the recording itself breaks in its effective context; none by default. */
  readonly brokenRules?: readonly string[];
  /** Shares of the file after which it is cut off; each must leave a whole message. */
  readonly cutAt?: readonly number[];
}

/** Lines of a recording that the damage tests work on, and how many damages they try. */
const DAMAGE_LINES = 120;
const DAMAGE_RUNS: number = runs(10, 40);

/** The counts that the manifest states for a recording. */
export function manifestCounts(file: string): Counts {
  const manifest = JSON.parse(readFileSync(path.join(RECORDINGS, "manifest.json"), "utf8")) as {
    files: { file: string; counts: Counts }[];
  };
  const entry = manifest.files.find((candidate) => candidate.file === file);
  if (entry === undefined) throw new Error(`${file} is not in the manifest`);
  return entry.counts;
}

function bytesOf({ file, made }: TranscriptCase): Buffer {
  return made?.bytes ?? recording(file);
}

function knownCounts({ file, made }: TranscriptCase): Counts {
  return made?.counts ?? manifestCounts(file);
}

/** What every format promises, held against recordings of it. Skipped where there are none. */
export function describeTranscript(name: string, cases: readonly TranscriptCase[]): void {
  const format = transcriptFormats.find((known) => known.name === name)!;
  const options: ReadTranscriptOptions = {};
  const isSkipped = !existsSync(RECORDINGS) && cases.every(({ made }) => made === undefined);
  describe.skipIf(isSkipped)(`${format.name} transcripts`, () => {
    describe.each(cases.map((each) => [each.file, each] as const))("%s", (_file, each) => {
      describeReading(format, each, options);
      describeWrappings(each, options);
      describeDamage(format, each, options);
    });
  });
}

function describeReading(
  format: TranscriptFormat,
  each: TranscriptCase,
  options: ReadTranscriptOptions,
): void {
  let transcript: Transcript;
  beforeAll(async () => {
    transcript = await readTranscript(
      each.made?.bytes ?? path.join(RECORDINGS, each.file),
      options,
    );
  });

  it("is recognised among all formats", () => {
    expect(transcript.format).toBe(format.name);
  });

  it("holds what the manifest says, as far as it is in the context", () => {
    const { typedUserTurns, toolCalls, toolResults, failedResults, thinkingBlocks, images } =
      knownCounts(each);
    const known = { typedUserTurns, toolCalls, toolResults, failedResults, thinkingBlocks, images };
    expect(countsOf(transcript)).toMatchObject({ ...known, ...each.differs?.counts });
  });

  it("has been compacted as often as the manifest says", () => {
    expect(transcript.compactions).toBe(knownCounts(each).compactions);
  });

  it("is read without warnings of damage", () => {
    expect(
      transcript.warnings.filter(({ message }) => /JSON|UTF-8|cut short/.test(message)),
    ).toEqual([]);
  });

  it("gives effective contexts that break no rule the recording keeps", () => {
    const rules = transcript.conversations.flatMap(({ messages }) =>
      checkMessages(messages).map(({ rule }) => rule),
    );
    expect([...new Set(rules)].toSorted()).toEqual([...(each.brokenRules ?? [])].toSorted());
  });

  it("gives plain values that survive JSON", () => {
    for (const { messages } of transcript.conversations) {
      expect(JSON.parse(JSON.stringify(messages))).toEqual(messages);
    }
  });
}

function describeWrappings(each: TranscriptCase, options: ReadTranscriptOptions): void {
  const read = (bytes: Buffer): Promise<Transcript> => readTranscript(bytes, options);

  it("reads the same from bytes, gzip, a byte order mark and CRLF", async () => {
    const bytes = bytesOf(each);
    const plain = await read(bytes);
    const crlf = Buffer.from(bytes.toString("latin1").replaceAll(/\r?\n/g, "\r\n"), "latin1");
    expect(await read(gzipSync(bytes, { level: 1 }))).toEqual(plain);
    expect(await read(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]))).toEqual(plain);
    expect(await read(crlf)).toEqual(plain);
  });

  it("reads the same in pieces of any size", async () => {
    const bytes = bytesOf(each);
    const pieces = (async function* () {
      let at = 0;
      for (let size = 1; at < bytes.length; size = size * 2 + 1) {
        yield bytes.subarray(at, at + Math.min(size, 99_991));
        at += Math.min(size, 99_991);
      }
    })();
    expect(await readTranscript(pieces, options)).toEqual(await read(bytes));
  });

  it("reads what is whole when the end is missing", async () => {
    const bytes = bytesOf(each);
    const whole = await read(bytes);
    for (const share of each.cutAt ?? [0.5, 0.9, 0.999]) {
      const torn = await read(bytes.subarray(0, Math.floor(bytes.length * share)));
      expect(torn.format).toBe(whole.format);
      expect(countsOf(torn).messages).toBeGreaterThan(0);
    }
  });
}

function describeDamage(
  format: TranscriptFormat,
  each: TranscriptCase,
  options: ReadTranscriptOptions,
): void {
  const read = (lines: readonly string[]): Promise<Transcript | undefined> =>
    readTranscript(Buffer.from(lines.join("\n")), options).catch((error: unknown) => {
      if (isContextError(error)) return undefined;
      throw error;
    });

  it.skipIf(format.shape === "document")("survives any line missing or cut", async () => {
    const lines = bytesOf(each).toString().split("\n").slice(0, DAMAGE_LINES);
    const damage = fc.record({
      at: fc.nat(lines.length - 1),
      keep: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, keep }) => {
        const line = lines[at]!;
        const cut = lines.with(at, line.slice(0, Math.floor(line.length * keep)));
        await expect(read(cut)).resolves.not.toBeNull();
        await expect(read(lines.toSpliced(at, 1))).resolves.not.toBeNull();
      }),
      { numRuns: DAMAGE_RUNS },
    );
  });

  it.skipIf(format.shape === "text")("survives any value being another one", async () => {
    const records = parsedValues(format, bytesOf(each));
    const slots = slotsIn(records);
    const strange = fc.constantFrom<unknown>(
      null,
      0,
      -1.5,
      true,
      "",
      "x",
      [],
      [null],
      {},
      "remove",
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(1_000_000), strange, async (position, value) => {
        await withStrangeValue(slots[position % slots.length]!, value, () =>
          readValues(format, records),
        );
      }),
      { numRuns: DAMAGE_RUNS * 2 },
    );
  });
}

function parsedValues(format: TranscriptFormat, bytes: Buffer): unknown[] {
  const text = bytes.toString();
  if (format.shape === "document") return [JSON.parse(text)];
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(0, DAMAGE_LINES).map((line) => JSON.parse(line) as unknown);
}

async function readValues(format: TranscriptFormat, values: readonly unknown[]): Promise<void> {
  if (format.shape === "document") {
    format.detect(values[0]);
    const reader = await format.load();
    reader.read(values[0]);
    reader.read(values[0], { isTorn: true });
  } else if (format.shape === "records") {
    format.detect(values.slice(0, 50));
    const reader = (await format.load()).open();
    values.forEach((value, index) => reader.record(value, index + 1));
    reader.finish();
  }
}

interface Slot {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** The place of every value in the records. */
function slotsIn(records: readonly unknown[]): readonly Slot[] {
  const slots: Slot[] = [];
  const walk = (holder: Record<string, unknown>): void => {
    for (const key of Object.keys(holder)) {
      slots.push({ holder, key });
      const inner = holder[key];
      if (typeof inner === "object" && inner !== null) walk(inner as Record<string, unknown>);
    }
  };
  walk(records as unknown as Record<string, unknown>);
  return slots;
}

/** Runs something while another value, or none, stands in a place. */
async function withStrangeValue(
  { holder, key }: Slot,
  value: unknown,
  run: () => Promise<void>,
): Promise<void> {
  const before = holder[key];
  if (value === "remove" && !Array.isArray(holder)) delete holder[key];
  else holder[key] = value;
  try {
    await run();
  } finally {
    holder[key] = before;
  }
}

/**
 * What `bench/quality/figures.ts` checks, on a sample: every session at one window per dialect, the
 * windows going round, so that all of them come up. Of files with many conversations the longest.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { compareSession, type Kind, KINDS } from "../../bench/quality/compare.ts";
import { EXAMPLE, readSessions, RECORDINGS, sessionFiles } from "../../bench/quality/sessions.ts";
import {
  DIALECTS,
  emptyTally,
  figuresOf,
  growthOf,
  merged,
  type Tally,
  WINDOWS,
} from "../../bench/quality/tally.ts";
import { runs, sample } from "../property/runs.ts";

/**
 * What the tokenizer may count of usable where the estimator, which errs by 1 to 5 %, sees less than
 * all of it. The reserve takes that up; the bench counts every such case.
 */
const MISJUDGED = 1.05;

/** Conversations of one file. */
const MOST = 4;

async function sampled(file: string, turn: number): Promise<Tally> {
  const lengths = (await readSessions(file)).map(
    ({ conversation }) => conversation.messages.length,
  );
  const least = lengths.toSorted((a, b) => b - a)[MOST - 1] ?? 0;
  let tally = emptyTally();
  for (const [index, dialect] of DIALECTS.entries()) {
    const window = WINDOWS[(turn + 2 * index) % WINDOWS.length] ?? 0;
    const only = ({
      conversation,
    }: {
      readonly conversation: { readonly messages: readonly unknown[] };
    }): boolean => conversation.messages.length >= least;
    tally = merged(tally, await figuresOf(file, { windows: [window], dialects: [dialect], only }));
  }
  return tally;
}

describe("our own recorded session", () => {
  it("keeps every promise at every window and dialect", async () => {
    const windows = sample(WINDOWS, 3);
    const tally = await figuresOf(EXAMPLE, { windows, dialects: DIALECTS });
    expect(tally.failures).toEqual([]);
    expect(tally.runs).toBe(windows.length * DIALECTS.length);
    expect(tally.actions.compact).toBeGreaterThan(0);
    expect(tally.actions.prune).toBeGreaterThan(0);
  });

  it("keeps them while it grows, request by request", async () => {
    const tally = await growthOf(EXAMPLE, { windows: [16_000], dialects: sample(DIALECTS, 1) });
    expect(tally.failures).toEqual([]);
    expect(tally.requests).toBeGreaterThan(runs(40, 200));
    expect(tally.indirect).toEqual([]);
  });

  it("has a ledger that an independent reading agrees with", async () => {
    for (const session of await readSessions(EXAMPLE)) {
      expect(
        compareSession(session).differences.map(({ side, text }) => `${side} ${text}`),
      ).toEqual([]);
    }
  });
});

describe.skipIf(!existsSync(RECORDINGS))("recorded sessions of other agents", () => {
  const files = sessionFiles().filter((file) => file !== EXAMPLE);

  const cases = files.map((file, turn) => [path.basename(file), file, turn] as const);

  it.each(sample(cases, 1))("keeps every promise on %s", async (_, file, turn) => {
    const tally = await sampled(file, turn);
    expect(tally.runs).toBeGreaterThan(0);
    expect(tally.failures).toEqual([]);
    expect(tally.fill.estimated).toBeLessThan(1);
    expect(tally.fill.exact).toBeLessThan(MISJUDGED);
  });

  it("has ledgers that an independent reading agrees with", async () => {
    const found: Record<Kind, [number, number]> = emptyShares();
    const said: Record<Kind, [number, number]> = emptyShares();
    for (const file of sample(files, 4)) {
      for (const session of await readSessions(file)) {
        const { recall, precision } = compareSession(session);
        for (const kind of KINDS) {
          add(found[kind], recall[kind]);
          add(said[kind], precision[kind]);
        }
      }
    }
    for (const kind of KINDS) {
      expect(share(found[kind]), `recall of ${kind}`).toBeGreaterThanOrEqual(
        kind === "read" ? 0.99 : 1,
      );
      expect(share(said[kind]), `precision of ${kind}`).toBeGreaterThanOrEqual(0.98);
    }
  });
});

function emptyShares(): Record<Kind, [number, number]> {
  return Object.fromEntries(KINDS.map((kind) => [kind, [0, 0]])) as unknown as Record<
    Kind,
    [number, number]
  >;
}

function add(
  sum: [number, number],
  { found, of }: { readonly found: number; readonly of: number },
): void {
  sum[0] += found;
  sum[1] += of;
}

function share([found, of]: readonly [number, number]): number {
  return of === 0 ? 1 : found / of;
}

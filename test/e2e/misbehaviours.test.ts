/**
 * What `bench/quality/misbehaviours.ts` checks, on a sample: each misbehaviour on our own recording,
 * and all of them, going round, on the longest session of every other one.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  emptyTrials,
  mergedTrials,
  trialsOf,
  type TrialTallies,
  type TrialTally,
} from "../../bench/quality/misbehaviour-tally.ts";
import {
  EXAMPLE,
  readSessions,
  RECORDINGS,
  type Session,
  sessionFiles,
} from "../../bench/quality/sessions.ts";
import { MISBEHAVIOURS, type Misbehaviour } from "../provider/index.ts";
import { sample } from "../property/runs.ts";

function sum(tallies: TrialTallies): TrialTally {
  return Object.values(tallies).reduce(mergedTrials, emptyTrials());
}

/** No exception to the rule, whatever the model does. */
function expectWhole({ exceptions, invalid, over, missing, calls, runs }: TrialTally): void {
  expect(exceptions).toEqual([]);
  expect(invalid).toEqual([]);
  expect(over).toEqual([]);
  expect(missing).toEqual([]);
  expect(calls).toBeLessThanOrEqual(2 * runs);
}

describe("a model that misbehaves, on our own recording", () => {
  const cases = MISBEHAVIOURS.map((kind, turn) => [kind, turn] as const);

  it.each(sample(cases, 5))("%s", async (kind, turn) => {
    const tally = sum(await trialsOf(EXAMPLE, { misbehaviours: [kind], windows: 1, turn }));
    expect(tally.runs).toBe(2);
    expect(tally.facts).toBeGreaterThan(100);
    expectWhole(tally);
  });
});

/** The longest session of a file. */
async function longest(file: string): Promise<(session: Session) => boolean> {
  const lengths = (await readSessions(file)).map(
    ({ conversation }) => conversation.messages.length,
  );
  const most = Math.max(...lengths);
  return ({ conversation }) => conversation.messages.length === most;
}

/** Misbehaviours of one recording; the others come up on the next ones. */
const KINDS = 3;

function kindsFor(turn: number): readonly Misbehaviour[] {
  const all = MISBEHAVIOURS;
  return Array.from({ length: KINDS }, (_, n) => all[(turn * KINDS + n) % all.length]!);
}

describe.skipIf(!existsSync(RECORDINGS))("a model that misbehaves, on others' recordings", () => {
  const files = sessionFiles().filter((file) => file !== EXAMPLE);

  const cases = files.map((file, turn) => [path.basename(file), file, turn] as const);

  it.each(sample(cases, 1))("%s", async (_, file, turn) => {
    const only = await longest(file);
    const matrix = { misbehaviours: kindsFor(turn), windows: 1, turn: turn * 5, only };
    expectWhole(sum(await trialsOf(file, matrix)));
  });
});

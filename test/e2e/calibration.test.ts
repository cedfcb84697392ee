/**
 * Once a provider has reported usage, the size of the next request is known: on every recording,
 * whatever the meter was told of the system prompt and tools. `bench/tokens/calibration.ts` prints
 * the figures.
 */
import { describe, expect, it } from "vitest";
import { contextOf, EXAMPLE, readSessions, sessionFiles } from "../../bench/quality/sessions.ts";
import { replay, SCENARIOS } from "../../bench/tokens/replay.ts";
import type { Predictions } from "../../bench/tokens/replay.ts";
import { sample } from "../property/runs.ts";

/** The longest conversations of a file. */
const MOST = 40;
const NEXT_ERROR = 0.03;
/** After an edit there is no report to start from, only what the earlier ones have shown. */
const EDITED_ERROR = 0.05;

function largest(predictions: readonly Predictions[], key: keyof Predictions): number {
  return Math.max(0, ...predictions.flatMap((one) => one[key].map(Math.abs)));
}

describe.each(sample(sessionFiles(), 4))("calibration by usage: %s", (file) => {
  it.each(SCENARIOS)("predicts the next request ($name)", async (scenario) => {
    const sessions = (await readSessions(file))
      .map(({ conversation }) => contextOf(conversation))
      .toSorted((a, b) => b.length - a.length);
    const predictions = sessions.slice(0, MOST).map((messages) => replay(messages, scenario));
    if (file === EXAMPLE) expect(predictions.flatMap(({ next }) => next).length).toBeGreaterThan(9);
    expect(largest(predictions, "next")).toBeLessThanOrEqual(NEXT_ERROR);
    expect(largest(predictions, "edited")).toBeLessThanOrEqual(EDITED_ERROR);
  });
});

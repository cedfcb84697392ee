import { describe, expect, it } from "vitest";
import { extractLedger } from "../../../src/core/ledger/index.ts";
import { type Message, messageText } from "../../../src/core/message/index.ts";
import {
  extractiveSummary,
  frameSummary,
  judgeSummary,
  validateSummary,
} from "../../../src/core/summary/index.ts";
import { estimateTokens } from "../../../src/core/tokens/estimator.ts";
import { readTranscript } from "../../../src/transcripts/index.ts";
import { RECORDED_FILES, recording } from "../../recordings.ts";
import { HEAD, head } from "./build-ledger.ts";

const ROUNDS = 4;
/** Larger than any of these sessions needs, so that everything must be there. */
const AMPLE = 200_000;

async function messagesOf(file: string): Promise<readonly Message[]> {
  const { conversations } = await readTranscript(recording(file));
  return conversations.flatMap(({ messages }) => messages);
}

function summariesIn(messages: readonly Message[]): string {
  return messages
    .filter(({ kind }) => kind === "summary")
    .map(messageText)
    .join("\n\n");
}

describe.skipIf(RECORDED_FILES.length === 0)("the summary of a recorded session", () => {
  it.each(RECORDED_FILES)(
    "%s keeps its cap, holds all sections and loses nothing",
    async (file) => {
      const messages = await messagesOf(file);
      const ledger = extractLedger(messages);
      const previousSummary = summariesIn(messages);
      const input = { ledger, previousSummary, count: estimateTokens, headHandle: HEAD };
      for (const cap of [800, 2_000, 12_000]) {
        const text = extractiveSummary({ ...input, cap });
        expect(estimateTokens(text)).toBeLessThanOrEqual(cap);
        expect(validateSummary(text).missingSections).toEqual([]);
        expect(extractiveSummary({ ...input, cap })).toBe(text);
      }
      const whole = extractiveSummary({ ...input, cap: AMPLE });
      const gate = { cap: AMPLE, replaces: AMPLE, ledger, count: estimateTokens };
      expect(judgeSummary({ text: whole }, gate).problems).toEqual([]);
      expect(whole).not.toContain("… and ");
      expect(
        extractiveSummary({
          ...input,
          ledger: extractLedger([]),
          previousSummary: whole,
          cap: AMPLE,
        }),
      ).toBe(whole);
    },
  );

  it.each(RECORDED_FILES)("%s stays under its cap over several rounds", async (file) => {
    const messages = await messagesOf(file);
    const size = Math.ceil(messages.length / ROUNDS);
    let summary = "";
    for (let round = 1; round <= ROUNDS; round++) {
      const now = messages.slice((round - 1) * size, round * size);
      const handles = round > 1 ? [head(round - 1)] : [];
      summary = extractiveSummary({
        ledger: extractLedger(now, { offset: (round - 1) * size }),
        previousSummary:
          summary && frameSummary(summary, { headHandle: handles[0], headMessages: size }),
        cap: 1_600,
        count: estimateTokens,
        headHandle: head(round),
        olderHandles: handles,
      });
      expect(estimateTokens(summary)).toBeLessThanOrEqual(1_600);
      expect(validateSummary(summary).valid).toBe(true);
    }
  });
});

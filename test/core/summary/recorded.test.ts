import { describe, expect, it } from "vitest";
import { createLedgerSum, extractLedger } from "../../../src/core/ledger/index.ts";
import { type Message, messageText } from "../../../src/core/message/index.ts";
import { extractiveSummary, readWords, validateSummary } from "../../../src/core/summary/index.ts";
import { estimateTokens } from "../../../src/core/tokens/estimate-tokens.ts";
import { readTranscript } from "../../../src/transcripts/index.ts";
import { RECORDED_SAMPLE, recording } from "../../recordings.ts";
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

describe.skipIf(RECORDED_SAMPLE.length === 0)("the summary of a recorded session", () => {
  it.each(RECORDED_SAMPLE)(
    "%s keeps its cap, holds all sections and loses nothing",
    async (file) => {
      const messages = await messagesOf(file);
      const ledger = extractLedger(messages);
      const earlier = readWords(summariesIn(messages));
      const input = { ledger, earlier, count: estimateTokens, headHandle: HEAD };
      for (const cap of [800, 2_000, 12_000]) {
        const text = extractiveSummary({ ...input, cap });
        expect(estimateTokens(text)).toBeLessThanOrEqual(cap);
        expect(validateSummary(text).missingSections).toEqual([]);
        expect(extractiveSummary({ ...input, cap })).toBe(text);
      }
      const whole = extractiveSummary({ ...input, cap: AMPLE });
      // Commands that only looked are counted, whatever the room.
      const looks = ledger.commands.some((command) => command.looks === true);
      expect(whole.match(/… and \d+ more \(.*\)/g) ?? []).toEqual(
        looks ? [expect.stringContaining("(commands)")] : [],
      );
      for (const { path } of ledger.files) expect(whole).toContain(path.replace(/\s+/g, " "));
      for (const line of Object.values(earlier).flatMap((words) => words.split("\n"))) {
        expect(whole).toContain(line.replace(/^ ?(?:> ?)+/, "").trim());
      }
    },
  );

  it.each(RECORDED_SAMPLE)("%s stays under its cap over several rounds", async (file) => {
    const messages = await messagesOf(file);
    const size = Math.ceil(messages.length / ROUNDS);
    const sum = createLedgerSum();
    for (let round = 1; round <= ROUNDS; round++) {
      const offset = (round - 1) * size;
      sum.add(extractLedger(messages.slice(offset, round * size), { offset }));
      const summary = extractiveSummary({
        ledger: sum.ledger(),
        cap: 1_600,
        count: estimateTokens,
        headHandle: head(round),
        olderHandles: round > 1 ? [head(round - 1)] : [],
      });
      expect(estimateTokens(summary)).toBeLessThanOrEqual(1_600);
      expect(validateSummary(summary).valid).toBe(true);
    }
  });
});

import { describe, expect, it } from "vitest";
import { extractLedger } from "../../src/core/ledger/index.ts";
import { contextBudget } from "../../src/core/overflow/index.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "../../src/core/summary/index.ts";
import { estimateTokens } from "../../src/core/tokens/estimate-tokens.ts";
import { askForSummary } from "../../src/models/ask.ts";
import { readTranscript } from "../../src/transcripts/index.ts";
import { isBalanced } from "../core/summary/hostile.ts";
import { RECORDED_SAMPLE, recording } from "../recordings.ts";
import { asking, type Behaviour, goodSummary, MISBEHAVIOURS, scripted } from "./fake-summarizer.ts";

const WINDOWS = [4_096, 32_768, 200_000];
const wrong = Object.entries(MISBEHAVIOURS)
  .filter(([name]) => !/^hangs|40[01]$/.test(name))
  .map(([, behaviour]) => behaviour);
const good: Behaviour = (request) => goodSummary(request, "summarized");

describe.skipIf(RECORDED_SAMPLE.length === 0)("a recorded session", () => {
  it.each(RECORDED_SAMPLE)(
    "%s is summarized in any window, by a model that is wrong every time once",
    async (file) => {
      const { conversations } = await readTranscript(recording(file));
      const head = conversations.flatMap(({ messages }) => messages);
      const ledger = extractLedger(head);
      for (const window of WINDOWS) {
        const cap = contextBudget({ window }).summary;
        const input = { head, ledger, template: DEFAULT_COMPACTION_TEMPLATE, cap };
        // One after the other goes wrong in every possible way; each second call is right.
        const script = wrong.flatMap((behaviour) => [behaviour, good]);
        const summarizer = scripted(script, { window });
        const made = await askForSummary(asking(summarizer, input, { count: estimateTokens }));
        expect(made.words?.["goal"]).toContain("summarized");
        for (const { prompt, attempt } of made.calls) {
          const tokens = estimateTokens(prompt.system) + estimateTokens(prompt.user);
          expect(tokens, `${attempt} at ${window}`).toBeLessThan(window - cap);
          expect(isBalanced(prompt.user)).toBe(true);
        }
      }
    },
    60_000,
  );
});

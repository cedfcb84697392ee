import { describe, expect, it } from "vitest";
import { planDefaults } from "../../src/core.ts";
import { extractLedger } from "../../src/core/ledger/extract.ts";
import { contextBudget } from "../../src/core/overflow/index.ts";
import { prunedView } from "../../src/core/prune/prune.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "../../src/core/summary/index.ts";
import { summaryPrompt, type SummaryTask } from "../../src/core/summary/prompt.ts";
import { memoryArchive } from "../../src/archive/index.ts";
import { type ContextOptions, createContext } from "../../src/context/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import type { SummaryRequest } from "../../src/models/summarizer.ts";
import { step, user, words } from "../build-messages.ts";
import { readTranscript } from "../../src/transcripts/index.ts";
import { RECORDED_FILES, recording } from "../recordings.ts";
import { sample } from "../property/runs.ts";
import { estimateTokens } from "../../src/tokens.ts";

/** Compacts, and returns what the summarizer was asked. */
async function asked(
  messages: readonly Message[],
  options: ContextOptions,
): Promise<SummaryRequest | undefined> {
  const requests: SummaryRequest[] = [];
  const summarizer = (request: SummaryRequest): Promise<string> => {
    requests.push(request);
    return Promise.resolve("## Goal\n- g\n\n## Accomplished\n- a");
  };
  const context = createContext({
    archive: memoryArchive(),
    summarizer,
    summarizeAhead: false,
    ...options,
  });
  await context.prepare(messages, { force: true });
  return requests[0];
}

describe("what a summarizer is given", () => {
  const work = Array.from({ length: 40 }, (_, n) =>
    step(`c${n}`, "bash", { command: `run ${n}` }, words(1_500, `output ${n}`)),
  ).flat();

  it("is the head as pruning leaves it, without handles that nobody can recall", async () => {
    const request = await asked([user("go"), ...work], { window: 32_000 });
    const { user: prompt } = request!.prompt;
    expect(prompt).toContain('<tool-output-compacted tool="bash" input="run 3" lines="1" tokens=');
    expect(prompt).not.toContain("output 3 the quick");
    expect(prompt).not.toMatch(/recall="|recall (?:out|in)_/);
    expect(JSON.stringify(request!.head)).not.toContain("output 3 the quick");
  });

  it("holds a protected result that has no room in the context, all of it", async () => {
    const rules = Array.from({ length: 600 }, (_, n) => `- rule ${n}: keep part-${n}.csv`);
    const skill = step("s", "use_skill", { skill_name: "csv" }, rules.join("\n"));
    const options = { window: 32_000, pinnedTokens: 0 };
    const request = await asked([user("go"), ...skill, ...work], options);
    expect(rules.filter((rule) => request!.prompt.user.includes(rule))).toEqual(rules);
  });

  it("clips what would take more than half of the room", async () => {
    const skill = step("s", "use_skill", {}, words(100_000, "rules"));
    const request = await asked([user("go"), ...skill, ...work], { window: 64_000 });
    expect(request!.prompt.user).toContain("characters left out");
  });
});

describe.skipIf(RECORDED_FILES.length === 0)("of a recorded session", () => {
  it.each(sample(RECORDED_FILES, 6))("%s, pruning never makes a prompt larger", async (file) => {
    const { conversations } = await readTranscript(recording(file));
    const budget = contextBudget({ window: 32_000 });
    for (const { messages: head } of sample(conversations, 2)) {
      const pruned = prunedView(head, { ...planDefaults(), budget, now: 0, excess: Infinity });
      const task = {
        ledger: extractLedger(head),
        template: DEFAULT_COMPACTION_TEMPLATE,
        cap: 2_000,
      };
      for (const room of [10_000, 40_000, 160_000]) {
        const sizeOf = (own: Pick<SummaryTask, "head" | "unpruned">): number =>
          estimateTokens(
            summaryPrompt({ ...task, ...own }, { room, count: estimateTokens })?.user ?? "",
          );
        const before = sizeOf({ head });
        expect(sizeOf({ head: pruned, unpruned: head })).toBeLessThanOrEqual(before + 60);
      }
    }
  });
});

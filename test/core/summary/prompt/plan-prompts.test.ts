import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractLedger, type Ledger } from "../../../../src/core/ledger/index.ts";
import { type Message, splitUnits } from "../../../../src/core/message/index.ts";
import {
  DETAILS,
  planPrompts,
  type PromptBudget,
  type PromptPlan,
  promptWithin,
  type SummaryPrompt,
} from "../../../../src/core/summary/prompt/index.ts";
import { MOST_CHUNKS } from "../../../../src/core/summary/prompt/plan-prompts.ts";
import { estimateTokens } from "../../../../src/core/tokens/estimator.ts";
import { call, calling, result, results, user, words } from "../../../build-messages.ts";
import { legalConversation } from "../../../property/arbitraries.ts";
import { busyLedger } from "../build-ledger.ts";
import { budget, count, inputOf, session } from "./build-input.ts";
import { isBalanced } from "./hostile.ts";

const WINDOWS = [4_096, 8_192, 32_768, 128_000, 200_000];

function promptsOf(plan: PromptPlan): readonly SummaryPrompt[] {
  return plan.type === "whole" ? [plan.prompt] : plan.chunks.flatMap(({ prompt }) => prompt ?? []);
}

function tokens({ system, user }: SummaryPrompt, { count }: PromptBudget): number {
  return count(system) + count(user);
}

/** Every message is in one chunk, in order; no chunk ends inside a step. */
function expectCover(plan: PromptPlan, messages: readonly Message[]): void {
  if (plan.type === "whole") return;
  const ends = new Set(splitUnits(messages).map(({ to }) => to));
  let from = 0;
  for (const chunk of plan.chunks) {
    expect(chunk.from).toBe(from);
    expect(ends.has(chunk.to)).toBe(true);
    from = chunk.to;
  }
  expect(from).toBe(messages.length);
  expect(plan.chunks.slice(1).every(({ prompt }) => prompt !== undefined)).toBe(true);
  expect(promptsOf(plan).length).toBeLessThanOrEqual(MOST_CHUNKS);
}

describe("planning the prompts", () => {
  it("takes one prompt when everything fits, unclipped", () => {
    const head = session(20, 200);
    const plan = planPrompts(inputOf(head), budget(128_000));
    expect(plan?.type).toBe("whole");
    expect(promptsOf(plan as PromptPlan)[0]?.user).not.toContain("left out");
  });

  it("takes the facts of a chunk from whoever knows the agent's tools", () => {
    const head = session(300, 200);
    const ledgerOf = (stretch: readonly Message[], offset: number): Ledger => ({
      ...extractLedger(stretch, { offset }),
      todos: [{ text: `what stands at ${offset}`, status: "pending" }],
    });
    const plan = planPrompts(inputOf(head, { ledgerOf }), budget(8_192));
    if (plan?.type !== "chunks") throw new Error("it fits");
    for (const { from, ledger, prompt } of plan.chunks) {
      expect(ledger.todos).toEqual([{ text: `what stands at ${from}`, status: "pending" }]);
      if (prompt !== undefined) expect(prompt.user).toContain(`Still open: what stands at ${from}`);
    }
  });

  it("clips outputs before it takes several prompts", () => {
    const head = session(30, 4_000);
    const plan = planPrompts(inputOf(head), budget(32_768));
    expect(plan?.type).toBe("whole");
    const [prompt] = promptsOf(plan as PromptPlan);
    expect(prompt?.user).toContain("characters left out");
    expect(prompt?.user).toContain("mark-29");
  });

  it("takes chunks when even clipped outputs do not fit", () => {
    const head = session(120, 4_000);
    const plan = planPrompts(inputOf(head), budget(16_384)) as PromptPlan;
    expect(plan.type).toBe("chunks");
    expectCover(plan, head);
    const [first, ...others] = promptsOf(plan);
    expect(others.length).toBeGreaterThan(0);
    expect(first?.user).toContain("Never touch the lock file");
    const sizes = promptsOf(plan).map((prompt) => tokens(prompt, budget(16_384)));
    expect(Math.min(...sizes) / Math.max(...sizes)).toBeGreaterThan(0.7);
  });

  it("leaves the oldest part of a very long head to the ledger, and the prompts few", () => {
    const head = session(3_000, 400);
    const plan = planPrompts(inputOf(head), budget(8_192));
    if (plan?.type !== "chunks") throw new Error("expected chunks");
    expectCover(plan, head);
    expect(plan.chunks[0]?.prompt).toBeUndefined();
    expect(plan.chunks[0]?.ledger.instructions[0]?.text).toContain("Never touch the lock file");
    expect(promptsOf(plan)).toHaveLength(MOST_CHUNKS);
    expect(promptsOf(plan).at(-1)?.user).toContain("mark-2999");
  });

  it("gives each chunk the facts of its own messages, and the earlier summary to none", () => {
    const previousSummary = "## Goal\nThe old goal";
    const head = session(120, 4_000);
    const plan = planPrompts(inputOf(head, { previousSummary }), budget(16_384));
    if (plan?.type !== "chunks") throw new Error("expected chunks");
    for (const { from, to, ledger, prompt } of plan.chunks) {
      expect(prompt?.user).not.toContain("The old goal");
      expect(prompt?.user).toContain(
        `part ${plan.chunks.findIndex((c) => c.from === from) + 1} of`,
      );
      expect(ledger.commands.every(({ at }) => at >= from && at < to)).toBe(true);
    }
    const commands = plan.chunks.flatMap(({ ledger }) => ledger.commands);
    expect(commands).toHaveLength(inputOf(head).ledger.commands.length);
  });

  it("never splits a call from its result, and clips a unit that is larger than the room", () => {
    const calls = Array.from({ length: 200 }, (_, index) => index);
    const huge = [
      calling(...calls.map((id) => call(`h${id}`, "bash", { command: words(100, `run-${id}`) }))),
      results(...calls.map((id) => result(`h${id}`, "bash", words(500, `huge-${id}`)))),
    ];
    const head = [user("Start."), ...huge, user(words(30_000, "pasted")), ...session(5, 100)];
    for (const window of WINDOWS) {
      const plan = planPrompts(inputOf(head), budget(window)) as PromptPlan;
      expectCover(plan, head);
      for (const prompt of promptsOf(plan)) {
        expect(tokens(prompt, budget(window))).toBeLessThanOrEqual(budget(window).room);
        expect(isBalanced(prompt.user)).toBe(true);
      }
    }
  });

  it("leaves room for the earlier summary and for the facts, however large they are", () => {
    const previousSummary = `## Goal\nShip.\n\n## Discoveries\n${"- It matters.\n".repeat(3_000)}`;
    for (const window of WINDOWS) {
      const input = inputOf(session(40, 500), { previousSummary, ledger: busyLedger(500) });
      const plan = planPrompts(input, budget(window)) as PromptPlan;
      for (const prompt of promptsOf(plan)) {
        expect(tokens(prompt, budget(window))).toBeLessThanOrEqual(budget(window).room);
      }
    }
  });

  it("has no plan where not even the instruction fits", () => {
    expect(planPrompts(inputOf(session(3, 10)), { room: 900, count })).toBeUndefined();
    expect(promptWithin(inputOf(session(3, 10)), { room: 900, count })).toBeUndefined();
  });

  it("takes an empty head", () => {
    expect(planPrompts(inputOf([]), budget(8_192))?.type).toBe("whole");
  });
});

describe("any head in any window", () => {
  const heads = fc
    .array(legalConversation({ maxTurns: 3 }), { minLength: 1, maxLength: 6 })
    .map((some) => some.flat());
  const rooms = fc.integer({ min: 1_900, max: 20_000 });
  const counters = fc.constantFrom(count, estimateTokens, (text: string) => text.length);

  it("is covered by prompts within the room, the same ones each time", () => {
    fc.assert(
      fc.property(heads, rooms, counters, (head, room, count) => {
        const input = inputOf(head);
        const scale = count("a".repeat(400)) / 100;
        const own = { room: Math.ceil(room * Math.max(1, scale)), count };
        const plan = planPrompts(input, own);
        expect(planPrompts(structuredClone(input), own)).toEqual(plan);
        if (plan === undefined) throw new Error(`no plan in ${own.room}`);
        expectCover(plan, head);
        for (const prompt of promptsOf(plan)) {
          expect(tokens(prompt, own)).toBeLessThanOrEqual(own.room);
          expect(isBalanced(prompt.user)).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("fits into one prompt if it must", () => {
    fc.assert(
      fc.property(heads, rooms, (head, room) => {
        const prompt = promptWithin(inputOf(head), { room, count });
        if (prompt === undefined) throw new Error(`no prompt in ${room}`);
        expect(tokens(prompt, { room, count })).toBeLessThanOrEqual(room);
        expect(isBalanced(prompt.user)).toBe(true);
      }),
    );
  });
});

it("has details that only get coarser", () => {
  const sums = DETAILS.map(({ outputs, inputs, texts, user }) => [outputs, inputs, texts, user]);
  for (const [index, values] of sums.slice(1).entries()) {
    expect(values.every((value, at) => value <= (sums[index]?.[at] ?? 0))).toBe(true);
  }
});

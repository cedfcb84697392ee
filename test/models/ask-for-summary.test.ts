import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { EMPTY_LEDGER, extractLedger } from "../../src/core/ledger/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { validateSummary } from "../../src/core/summary/index.ts";
import { anthropicSummarizer, openaiCompatibleSummarizer } from "../../src/models/index.ts";
import { askForSummary, type AskOptions } from "../../src/models/ask-for-summary.ts";
import type { ModelSummary } from "../../src/models/model-summary.ts";
import { step, user } from "../build-messages.ts";
import { budget, count, inputOf, session } from "../core/summary/prompt/build-input.ts";
import { HOSTILE, isBalanced } from "../core/summary/prompt/hostile.ts";
import { legalConversation } from "../property/arbitraries.ts";
import { asking, type Behaviour, goodSummary, MISBEHAVIOURS, scripted } from "./fake-summarizer.ts";
import { runs } from "../property/runs.ts";

const SMALL = inputOf(session(6, 100));
/** Too much for one prompt of 8k. */
const LARGE = inputOf(session(150, 1_000));
const good: Behaviour = (request) => goodSummary(request);
const bad = Object.entries(MISBEHAVIOURS);
/** Those that have a text with gaps, which a ledger can fill. */
const REPAIRABLE = new Set(["leaves sections out"]);
/** Nothing that is sent again could help. */
const FINAL = new Set(["throws 400", "throws 401", "hangs, deaf to the signal"]);

/** Asks; whenever nothing goes on any more, time passes to what is waited for. */
async function ask(options: AskOptions): Promise<ModelSummary> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const asked = askForSummary(options);
    for (;;) {
      const idle = new Promise<undefined>((resolve) => {
        setImmediate(() => setImmediate(() => resolve(undefined)));
      });
      const made = await Promise.race([asked, idle]);
      if (made !== undefined) return made;
      vi.advanceTimersToNextTimer();
    }
  } finally {
    vi.useRealTimers();
  }
}

function expectSound({ text, hasGaps, failure, calls }: ModelSummary): void {
  if (text === undefined) expect(hasGaps).toBe(false);
  else expect(text).toContain("## Goal");
  const isWhole = text !== undefined && !hasGaps;
  expect(failure === undefined).toBe(isWhole);
  if (isWhole) expect(validateSummary(text).valid).toBe(true);
  for (const call of calls) {
    expect(call.problems.every((problem) => problem !== "" && problem.length < 3_000)).toBe(true);
    expect(isBalanced(call.prompt.user)).toBe(true);
  }
}

describe("a model that behaves", () => {
  it("is asked once, and its summary is taken", async () => {
    const summarizer = scripted([
      (request) => ({ text: goodSummary(request), usage: { input: 900, cached: 5, output: 90 } }),
    ]);
    const made = await ask(asking(summarizer, SMALL));
    expect(made.text).toBe(goodSummary(summarizer.requests[0]!));
    expect(made).toMatchObject({ hasGaps: false, calls: [{ purpose: "whole", attempt: 1 }] });
    expect(made.failure).toBeUndefined();
    expect(made.calls[0]).toMatchObject({
      summarizer: "scripted",
      prompt: summarizer.requests[0]?.prompt,
      reusedPrompt: false,
      usage: { input: 900, cached: 5, output: 90 },
      problems: [],
    });
    expect(summarizer.requests[0]).toMatchObject({
      head: SMALL.head,
      ledger: SMALL.ledger,
      cap: 800,
    });
  });

  it("is sent the same bytes for the same input", async () => {
    const prompts = [LARGE, structuredClone(LARGE)].map(async (input) => {
      const summarizer = scripted([good], { window: 8_192 });
      await ask(asking(summarizer, input));
      return summarizer.requests.map(({ prompt }) => prompt);
    });
    const [first, second] = await Promise.all(prompts);
    expect(first).toEqual(second);
    expect(first?.length).toBeGreaterThan(2);
  });

  it("is asked for no more than one answer of it may have", async () => {
    const summarizer = scripted([good], { maxTokens: 400 });
    await ask(asking(summarizer, SMALL));
    expect(summarizer.requests[0]).toMatchObject({ cap: 400 });
    expect(summarizer.requests[0]?.prompt.user).toContain("has at most 300 tokens");
    const made = [
      anthropicSummarizer({ model: "m", maxTokens: 400 }),
      openaiCompatibleSummarizer({ model: "m", maxTokens: 400 }),
    ];
    expect(made.map(({ maxTokens }) => maxTokens)).toEqual([400, 400]);
  });

  it("is asked for no more than a part of its window", async () => {
    const summarizer = scripted([good], { window: 8_192 });
    await ask(asking(summarizer, { ...SMALL, cap: 12_000 }));
    expect(summarizer.requests[0]?.cap).toBe(2_048);
  });
});

describe.each(bad)("a model that %s", (name, behaviour) => {
  it("always: no text, or one with gaps, after two calls at most", async () => {
    const summarizer = scripted([behaviour]);
    const made = await ask(asking(summarizer, SMALL));
    expectSound(made);
    expect(made.failure).toBeTruthy();
    expect(made.text === undefined).toBe(!REPAIRABLE.has(name));
    expect(made.hasGaps).toBe(REPAIRABLE.has(name));
    expect(made.calls).toHaveLength(FINAL.has(name) ? 1 : 2);
    expect(summarizer.requests).toHaveLength(made.calls.length);
  });

  it.skipIf(FINAL.has(name))("once: the second answer is taken", async () => {
    const summarizer = scripted([behaviour, good]);
    const made = await ask(asking(summarizer, SMALL));
    expect(made.text).toBe(goodSummary(summarizer.requests[1]!));
    expect(made).toMatchObject({ hasGaps: false, calls: [{ attempt: 1 }, { attempt: 2 }] });
    expect(made.calls[0]?.problems).not.toEqual([]);
    expect(made.calls[1]?.problems).toEqual([]);
    const [first, second] = summarizer.requests.map(({ prompt }) => prompt.user);
    const isJudged = !name.startsWith("throws");
    expect(second?.includes("second and last try")).toBe(isJudged);
    if (isJudged) expect(second?.startsWith(first ?? "")).toBe(true);
  });

  it("in chunks: at most two calls for each chunk and merge", async () => {
    const summarizer = scripted([behaviour], { window: 8_192 });
    const made = await ask(asking(summarizer, LARGE));
    expectSound(made);
    expect(made.failure).toBeTruthy();
    expect(made.calls.filter(({ purpose }) => purpose === "chunk").length).toBeLessThanOrEqual(16);
    expect(made.calls.filter(({ purpose }) => purpose === "merge").length).toBeLessThanOrEqual(14);
  });

  it("in one chunk of several: facts stand in for it", async () => {
    let wasBad = false;
    const summarizer = scripted(
      [
        (request) => {
          const isPart = request.prompt.user.includes("part 2 of");
          wasBad ||= isPart;
          return isPart ? behaviour(request) : goodSummary(request);
        },
      ],
      { window: 8_192 },
    );
    const made = await ask(asking(summarizer, LARGE));
    expectSound(made);
    expect(wasBad).toBe(true);
    expect(made.text).toContain("written");
    expect(made.hasGaps).toBe(true);
    const merge = made.calls.find(({ purpose }) => purpose === "merge");
    // Commands are in no answer of this model, so they come from the facts.
    const [, partials = ""] =
      /<partial-summary>([^]*)<\/partial-summary>/.exec(merge?.prompt.user ?? "") ?? [];
    if (!REPAIRABLE.has(name)) expect(partials).toMatch(/`npm run task-\d+`: /);
  });
});

describe("the second try", () => {
  it("names what was wrong", async () => {
    const summarizer = scripted([() => "## Goal\nShip.", good]);
    await ask(asking(summarizer, SMALL));
    expect(summarizer.requests[1]?.prompt.user).toMatch(/Missing or empty: ## Instructions/);
  });

  it("counts beside a first one that broke off", async () => {
    const usage = { input: 900, cached: 800, output: 9 };
    const broken: Behaviour = () =>
      Promise.reject(Object.assign(new Error("broke off"), { usage, retryAfterMs: 1 }));
    const summarizer = scripted([broken, (request) => ({ text: goodSummary(request), usage })]);
    const { calls } = await ask(asking(summarizer, SMALL));
    expect(calls.map((call) => call.usage)).toEqual([usage, usage]);
  });

  it("does not lose what the first one had", async () => {
    const partial = "## Goal\nShip.\n\n## Instructions\n- Be kind.";
    for (const second of [MISBEHAVIOURS["gives nothing"], MISBEHAVIOURS["throws 500"]]) {
      const summarizer = scripted([() => partial, second as Behaviour]);
      const made = await ask(asking(summarizer, SMALL));
      expect(made).toMatchObject({ text: partial, hasGaps: true });
    }
  });

  it("is not made for names of files that no summary has room for", async () => {
    const names = (files: number): readonly string[] =>
      Array.from({ length: files }, (_, n) => `src/module-${n}/index.ts`);
    for (const [files, calls] of [
      [3, 2],
      [900, 1],
    ] as const) {
      const ledger = extractLedger(
        names(files).flatMap((path, n) => step(`w${n}`, "write", { path, content: "x" }, "ok")),
      );
      const summarizer = scripted([(request) => goodSummary({ ...request, ledger: EMPTY_LEDGER })]);
      const made = await ask(asking(summarizer, { ...SMALL, ledger }));
      expect(made).toMatchObject({ hasGaps: true, failure: expect.stringContaining("not named") });
      expect(made.calls).toHaveLength(calls);
    }
  });

  it("takes the better of two answers with gaps", async () => {
    const less = "## Goal\nShip.";
    const more = (request: Parameters<Behaviour>[0]): string =>
      goodSummary(request).replace(/\n\n## Relevant files[^]*$/, "");
    const summarizer = scripted([more, () => less]);
    const made = await ask(asking(summarizer, SMALL));
    expect(made.text).toBe(more(summarizer.requests[0]!));
  });

  it("is smaller when the first prompt was too large", async () => {
    const head = session(60, 1_000);
    const summarizer = scripted(
      [() => Promise.reject(new Error("maximum context length is 9000 tokens")), good],
      { window: 200_000 },
    );
    const made = await ask(asking(summarizer, inputOf(head)));
    expect(made.text).toBeDefined();
    const [first = 0, second = 0] = summarizer.requests.map(({ prompt }) => count(prompt.user));
    expect(first).toBeGreaterThan(20_000);
    expect(second).toBeLessThan(9_000);
  });

  it("does not wait for longer than there is time", async () => {
    const summarizer = scripted([
      () =>
        Promise.reject(
          Object.assign(new Error("slow down"), {
            status: 429,
            headers: new Headers({ "retry-after": "3600" }),
          }),
        ),
    ]);
    const made = await askForSummary(asking(summarizer, SMALL));
    expect(made.calls).toHaveLength(1);
    expect(made.failure).toContain("slow down");
  }, 5_000);
});

describe("time and abort", () => {
  it("ends all chunks at once, deaf or not, and says why", async () => {
    const summarizer = scripted([MISBEHAVIOURS["hangs, deaf to the signal"] as Behaviour], {
      window: 8_192,
    });
    const made = await ask(asking(summarizer, LARGE));
    expect(made.text).toBeUndefined();
    expect(made.calls).toHaveLength(3);
    expect(made.failure).toContain("no answer within");
  });

  it("aborts what is under way", async () => {
    const signals: AbortSignal[] = [];
    const summarizer = scripted([
      (request) => {
        signals.push(request.signal);
        return MISBEHAVIOURS["hangs, deaf to the signal"]?.(request) ?? "";
      },
    ]);
    const controller = new AbortController();
    const asked = ask(asking(summarizer, SMALL, { signal: controller.signal }));
    controller.abort();
    const made = await asked;
    expect(made.failure).toContain("aborted");
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });

  it("asks nobody when it was aborted before", async () => {
    const summarizer = scripted([good]);
    const made = await ask(asking(summarizer, SMALL, { signal: AbortSignal.abort() }));
    expect(summarizer.requests).toEqual([]);
    expect(made).toMatchObject({ hasGaps: false, calls: [] });
    expect(made.failure).toContain("aborted");
  });

  it("merges what there is when one chunk takes all its time", async () => {
    const hang = MISBEHAVIOURS["hangs, deaf to the signal"] as Behaviour;
    const summarizer = scripted(
      [
        (request) =>
          request.prompt.user.includes("part 1 of") ? hang(request) : goodSummary(request),
      ],
      { window: 8_192 },
    );
    const made = await ask(asking(summarizer, LARGE));
    expect(made.calls.filter(({ purpose }) => purpose === "merge")).not.toEqual([]);
    expect(made).toMatchObject({ hasGaps: true });
    expect(made.text).toContain("written");
  });
});

describe("chunks", () => {
  it("may be written as the user writes, wherever in the conversation that is", async () => {
    const german =
      "Der Nutzer wünscht, dass der Parser nicht mit der alten Tabelle arbeitet und auf das neue Format wartet. Das ist noch nicht fertig. ";
    const english = "The parser was read and it is not the cause of what was seen with the table. ";
    const instructions = [{ text: german.repeat(3), at: 0 }];
    const statements = Array.from({ length: 150 }, (_, at) => ({ text: english.repeat(3), at }));
    const said = { ...EMPTY_LEDGER, statements };
    const summarizer = scripted(
      [(request) => goodSummary(request).replace("## Discoveries", `$&\n${german.repeat(3)}`)],
      { window: 8_192 },
    );
    const input = { ...LARGE, ledger: said, ledgerOf: () => said };
    const problems = async (known: typeof said): Promise<readonly string[]> => {
      const made = await ask(asking(summarizer, { ...input, known }));
      expect(made.calls.some(({ purpose }) => purpose === "chunk")).toBe(true);
      return made.calls.flatMap(({ problems }) => problems).filter((one) => /German/.test(one));
    };
    expect(await problems({ ...said, instructions })).toEqual([]);
    expect(await problems(said)).not.toEqual([]);
  });

  it("run three at a time, and each fact is merged a bounded number of times", async () => {
    let running = 0;
    let most = 0;
    const summarizer = scripted(
      [
        async (request) => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setImmediate(resolve));
          running--;
          return goodSummary(request);
        },
      ],
      { window: 8_192 },
    );
    const made = await askForSummary(asking(summarizer, LARGE));
    expect(most).toBe(3);
    expect(made).toMatchObject({ hasGaps: false });
    const chunks = made.calls.filter(({ purpose }) => purpose === "chunk").length;
    const merges = made.calls.filter(({ purpose }) => purpose === "merge").length;
    expect(chunks).toBeGreaterThan(2);
    expect(merges).toBeLessThan(chunks);
  });

  it("stop being asked about when no request can succeed", async () => {
    const summarizer = scripted([MISBEHAVIOURS["throws 401"] as Behaviour], { window: 8_192 });
    const made = await ask(asking(summarizer, LARGE));
    expect(made.calls).toHaveLength(3);
    expect(made.text).toBeUndefined();
    expect(made.failure).toContain("401");
  });

  it("have the earlier summary in the last merge only, even where merging fails", async () => {
    const previousSummary = "## Goal\nThe very first goal.";
    const input = { ...LARGE, previousSummary };
    const summarizer = scripted([good], { window: 8_192 });
    const { calls } = await ask(asking(summarizer, input));
    const holders = calls.filter(({ prompt }) => prompt.user.includes("The very first goal."));
    expect(holders).toHaveLength(1);
    expect(holders[0]).toBe(calls.at(-1));
    const failing = scripted(
      [(request) => (request.head.length === 0 ? "" : goodSummary(request))],
      { window: 8_192 },
    );
    const made = await ask(asking(failing, input));
    expect(made.hasGaps).toBe(true);
    expect(made.text).toContain("The very first goal.");
    expect(count(made.text ?? "")).toBeLessThanOrEqual(800);
  });
});

describe("a window too small for anything", () => {
  it("is said so, without a call", async () => {
    const summarizer = scripted([good], { window: 1_000 });
    const made = await ask(asking(summarizer, SMALL));
    expect(made).toMatchObject({ hasGaps: false, calls: [] });
    expect(made.failure).toContain("1000 tokens");
  });
});

describe("hostile text in the conversation", () => {
  it.each(HOSTILE)("changes nothing around it: %j", async (text) => {
    const hostile = session(10, 50).map((message): Message => {
      if (message.role !== "tool") return message;
      return {
        ...message,
        parts: message.parts.map((part) =>
          part.type === "tool-result" ? { ...part, output: [{ type: "text", text }] } : part,
        ),
      };
    });
    const summarizer = scripted([() => "", () => text]);
    const input = inputOf([...hostile, user(text)], { previousSummary: text });
    await ask(asking(summarizer, input));
    expect(summarizer.requests).toHaveLength(2);
    for (const { prompt } of summarizer.requests) {
      expect(prompt.user.match(/<\/conversation>/g)).toHaveLength(1);
      expect(prompt.user.match(/<\/earlier-summary>/g)).toHaveLength(1);
    }
  });
});

describe("any conversation, window and misbehaviour", () => {
  it("ends in bounded calls whose prompts fit, and never throws", async () => {
    const names = bad.map(([name]) => name).filter((name) => !name.startsWith("hangs"));
    const script = fc.array(fc.constantFrom("good", ...names), { minLength: 1, maxLength: 12 });
    const heads = fc
      .array(legalConversation({ maxTurns: 3 }), { minLength: 1, maxLength: 5 })
      .map((some) => some.flat());
    const windows = fc.constantFrom(4_096, 6_000, 8_192, 32_768, 200_000);
    await fc.assert(
      fc.asyncProperty(heads, windows, script, async (head, window, order) => {
        const behaviours = order.map(
          (name) => (name === "good" ? good : MISBEHAVIOURS[name]) as Behaviour,
        );
        const summarizer = scripted(behaviours, { window });
        const made = await ask(asking(summarizer, inputOf(head)));
        expectSound(made);
        const { room } = budget(window, 800);
        const tries = new Map<string, number>();
        for (const { purpose, attempt, prompt } of made.calls) {
          expect(count(prompt.system) + count(prompt.user)).toBeLessThanOrEqual(room);
          tries.set(`${purpose} ${attempt}`, (tries.get(`${purpose} ${attempt}`) ?? 0) + 1);
        }
        const first = (purpose: string): number => tries.get(`${purpose} 1`) ?? 0;
        expect(first("whole")).toBeLessThanOrEqual(1);
        expect(first("chunk")).toBeLessThanOrEqual(8);
        expect(first("merge")).toBeLessThanOrEqual(Math.max(0, 2 * first("chunk") - 1));
        for (const purpose of ["whole", "chunk", "merge"]) {
          expect(tries.get(`${purpose} 2`) ?? 0).toBeLessThanOrEqual(first(purpose));
        }
      }),
      { numRuns: runs(20, 100) },
    );
  });
});

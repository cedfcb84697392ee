import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Message } from "../../src/core/message/index.ts";
import { readWords } from "../../src/core/summary/index.ts";
import { anthropicSummarizer, openaiCompatibleSummarizer } from "../../src/models/index.ts";
import { askForSummary, type AskOptions } from "../../src/models/ask.ts";
import type { ModelSummary } from "../../src/models/summarizer.ts";
import { user } from "../build-messages.ts";
import { budget, count, inputOf, session } from "../core/summary/build-input.ts";
import { HOSTILE, isBalanced } from "../core/summary/hostile.ts";
import { legalConversation } from "../property/arbitraries.ts";
import { asking, type Behaviour, goodSummary, MISBEHAVIOURS, scripted } from "./fake-summarizer.ts";
import { runs } from "../property/runs.ts";

const SMALL = inputOf(session(6, 100));
/** Far too much for 8k. */
const LARGE = inputOf(session(150, 1_000));
const good: Behaviour = (request) => goodSummary(request);
const bad = Object.entries(MISBEHAVIOURS);
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

function expectSound({ words, failure, calls }: ModelSummary): void {
  expect(failure === undefined).toBe(words !== undefined);
  expect(calls.length).toBeLessThanOrEqual(2);
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
    expect(made.words).toEqual(readWords(goodSummary(summarizer.requests[0]!)));
    expect(made).toMatchObject({ calls: [{ attempt: 1 }] });
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
    expect(first).toHaveLength(1);
  });

  it("is asked for no more than one answer of it may have", async () => {
    const summarizer = scripted([good], { maxTokens: 400 });
    await ask(asking(summarizer, SMALL));
    expect(summarizer.requests[0]).toMatchObject({ cap: 400 });
    expect(summarizer.requests[0]?.prompt.user).toContain("has at most 200 tokens");
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

describe.each<[string, Behaviour]>([
  ["leaves sections out", () => "## Goal\nShip it.\n\n## Discoveries\n- It works."],
  [
    "is ten times too long",
    (request) => `${goodSummary(request)}\n${"- One more line.\n".repeat(request.cap)}`,
  ],
  [
    "denies a fact",
    (request) => goodSummary(request).replace("- Nothing yet.", "- Deleted `src/file-0.ts`"),
  ],
])("a model that %s", (_, behaviour) => {
  it("is not asked again: the recorded facts say the rest", async () => {
    const made = await ask(asking(scripted([behaviour]), SMALL));
    expectSound(made);
    expect(made.words?.["goal"]).toBeDefined();
    expect(made.calls).toHaveLength(1);
  });
});

describe.each(bad)("a model that %s", (name, behaviour) => {
  it("always: no words, after two calls at most", async () => {
    const summarizer = scripted([behaviour]);
    const made = await ask(asking(summarizer, SMALL));
    expectSound(made);
    expect(made.words).toBeUndefined();
    expect(made.calls).toHaveLength(FINAL.has(name) ? 1 : 2);
    expect(summarizer.requests).toHaveLength(made.calls.length);
  });

  it.skipIf(FINAL.has(name))("once: the second answer is taken", async () => {
    const summarizer = scripted([behaviour, good]);
    const made = await ask(asking(summarizer, SMALL));
    expect(made.words).toEqual(readWords(goodSummary(summarizer.requests[1]!)));
    expect(made).toMatchObject({ calls: [{ attempt: 1 }, { attempt: 2 }] });
    expect(made.calls[0]?.problems).not.toEqual([]);
    expect(made.calls[1]?.problems).toEqual([]);
    const [first, second] = summarizer.requests.map(({ prompt }) => prompt.user);
    const isJudged = !name.startsWith("throws");
    expect(second?.includes("second and last try")).toBe(isJudged);
    if (isJudged) expect(second?.startsWith(first ?? "")).toBe(true);
  });

  it("about a head that is too long for its window: at most two calls", async () => {
    const made = await ask(asking(scripted([behaviour], { window: 8_192 }), LARGE));
    expectSound(made);
    expect(made.failure).toBeTruthy();
  });
});

describe("the second try", () => {
  it("names what was wrong", async () => {
    const summarizer = scripted([() => "The parser has two passes.", good]);
    await ask(asking(summarizer, SMALL));
    expect(summarizer.requests[1]?.prompt.user).toMatch(/None of the sections was there/);
  });

  it("counts beside a first one that broke off", async () => {
    const usage = { input: 900, cached: 800, output: 9 };
    const broken: Behaviour = () =>
      Promise.reject(Object.assign(new Error("broke off"), { usage, retryAfterMs: 1 }));
    const summarizer = scripted([broken, (request) => ({ text: goodSummary(request), usage })]);
    const { calls } = await ask(asking(summarizer, SMALL));
    expect(calls.map((call) => call.usage)).toEqual([usage, usage]);
  });

  it("is smaller when the first prompt was too large", async () => {
    const head = session(60, 1_000);
    const summarizer = scripted(
      [() => Promise.reject(new Error("maximum context length is 9000 tokens")), good],
      { window: 200_000 },
    );
    const made = await ask(asking(summarizer, inputOf(head)));
    expect(made.words).toBeDefined();
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
  it("ends a call, deaf or not, and says why", async () => {
    const summarizer = scripted([MISBEHAVIOURS["hangs, deaf to the signal"] as Behaviour], {
      window: 8_192,
    });
    const made = await ask(asking(summarizer, LARGE));
    expect(made.words).toBeUndefined();
    expect(made.calls).toHaveLength(1);
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
    expect(made).toMatchObject({ calls: [] });
    expect(made.failure).toContain("aborted");
  });
});

describe("a window too small for anything", () => {
  it("is said so, without a call", async () => {
    const summarizer = scripted([good], { window: 1_000 });
    const made = await ask(asking(summarizer, SMALL));
    expect(made).toMatchObject({ calls: [] });
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
        for (const { prompt } of made.calls) {
          expect(count(prompt.system) + count(prompt.user)).toBeLessThanOrEqual(room);
        }
      }),
      { numRuns: runs(20, 300) },
    );
  });
});

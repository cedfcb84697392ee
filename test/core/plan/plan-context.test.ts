import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMessages, handleFor, messageText } from "../../../src/core/message/index.ts";
import type { Handle, Message } from "../../../src/core/message/index.ts";
import { contextBudget } from "../../../src/core/overflow/index.ts";
import {
  applyPlan,
  type ContextPlan,
  originalsOf,
  planContext,
  type PlanOptions,
} from "../../../src/core/plan/index.ts";
import { frameSummary, QUOTED } from "../../../src/core/summary/frame.ts";
import { unframeSummary } from "../../../src/core/summary/index.ts";
import { createMessageMeter } from "../../../src/core/tokens/index.ts";
import {
  assistant,
  call,
  calling,
  digest,
  quarter,
  result,
  results,
  step,
  system,
  user,
  words,
} from "../../build-messages.ts";
import { runs } from "../../property/runs.ts";

const meter = createMessageMeter(quarter);
const SUMMARY = { summary: "<summary>" };

function options(window: number, overrides: Partial<PlanOptions> = {}): PlanOptions {
  return {
    budget: contextBudget({ window }),
    counter: quarter,
    meter,
    digest,
    now: 1_700_000_000_000,
    ...overrides,
  };
}

/** One long autonomous turn of steps with outputs of the given size. */
function longTurn(steps: number, size: number): Message[] {
  const work = Array.from({ length: steps }, (_, n) =>
    step(`c${n}`, "bash", { command: `run ${n}` }, words(size, `output ${n}`)),
  );
  return [system("rules"), user("do the work"), ...work.flat()];
}

function planned(messages: readonly Message[], own: PlanOptions): readonly Message[] {
  return applyPlan(messages, planContext(messages, own), SUMMARY);
}

describe("planContext", () => {
  it("does nothing while there is room, and returns the list itself", () => {
    const messages = longTurn(3, 100);
    const plan = planContext(messages, options(128_000));
    expect(plan.action).toBe("none");
    expect(applyPlan(messages, plan)).toBe(messages);
  });

  it("T9: only prunes when that reaches the target", () => {
    const messages = longTurn(60, 2_000);
    const plan = planContext(messages, options(128_000));
    expect(plan.action).toBe("prune");
    const after = applyPlan(messages, plan);
    expect(meter.total(after)).toBeLessThanOrEqual(64_800);
    expect(after).toHaveLength(messages.length);
  });

  it("T8: compacts when pruning is not enough", () => {
    const chat = Array.from({ length: 60 }, (_, n) => [
      user(words(300, `q${n}`)),
      assistant(words(300, `a${n}`)),
    ]);
    const messages = [system("rules"), ...chat.flat()];
    const plan = planContext(messages, options(32_000));
    expect(plan.action).toBe("compact");
    const after = applyPlan(messages, plan, SUMMARY);
    expect(meter.total(after)).toBeLessThan(16_000);
    expect(after[0]).toBe(messages[0]);
    expect(after[1]).toMatchObject({ role: "system", kind: "summary" });
    expect(after.at(-1)).toBe(messages.at(-1));
  });

  it("T8: keeps tail messages as the same objects", () => {
    const messages = longTurn(40, 1_000);
    const after = planned(messages, options(32_000, { force: true }));
    const tail = after.slice(-4);
    expect(tail.every((message) => messages.includes(message))).toBe(true);
  });

  it("T8: keeps the newest user message word for word, whatever its age", () => {
    const messages = longTurn(40, 1_000);
    const after = planned(messages, options(32_000, { force: true }));
    expect(after.filter((message) => message === messages[1])).toHaveLength(1);
    expect(after.indexOf(messages[1]!)).toBe(2);
  });

  it("T8: clips the newest user message only if it alone cannot fit", () => {
    const messages = [system("rules"), user(words(9_000, "huge")), ...longTurn(10, 800).slice(2)];
    const own = options(8_000);
    const plan = planContext(messages, own);
    const after = applyPlan(messages, plan, SUMMARY);
    expect(meter.total(after)).toBeLessThan(4_000);
    const clipped = after.find((message) => message.role === "user");
    expect(JSON.stringify(clipped)).toMatch(/recall msg_[0-9a-f]{16}/);
    const original = originalsOf(messages, plan, digest).find((one) => one.kind === "msg");
    expect(original?.content).toBe(words(9_000, "huge"));
  });

  it("T8: truncates the outputs of a tail that is too big, the newest last", () => {
    const big = [
      ...step("x", "bash", {}, words(3_000, "older")),
      ...step("y", "bash", {}, words(900, "newest")),
    ];
    const messages = [...longTurn(10, 500), ...big];
    const plan = planContext(messages, options(8_000));
    const after = applyPlan(messages, plan, SUMMARY);
    expect(meter.total(after)).toBeLessThan(4_000);
    expect(plan.edits.map((edit) => edit.message)).toEqual([messages.length - 3]);
    expect(after.at(-1)).toBe(messages.at(-1));
  });

  it("T8: frames a summary that is none yet, and leaves a frame as it is", () => {
    const messages = longTurn(40, 1_000);
    const plan = planContext(messages, options(32_000, { force: true }));
    const textOf = (summary: string): string => {
      const made = applyPlan(messages, plan, { summary });
      return messageText(made.find(({ kind }) => kind === "summary") as Message);
    };
    const framed = textOf("## Goal\n- ship it");
    expect(unframeSummary(framed)).toEqual({
      text: "## Goal\n- ship it",
      headHandle: plan.compaction?.handle,
    });
    expect(textOf(framed)).toBe(framed);
  });

  it("T8: puts the summary into a user message where the dialect has no other place", () => {
    const traits = { summaryRole: "user", boundReasoning: false, endsWithInput: true } as const;
    const after = planned(longTurn(40, 1_000), options(32_000, { traits, force: true }));
    expect(after[1]).toMatchObject({ role: "user", kind: "summary" });
  });

  it("T8: drops reasoning that is bound to the changed prefix, and archives it", () => {
    const traits = { summaryRole: "user", boundReasoning: true, endsWithInput: true } as const;
    const thinking: Message = {
      role: "assistant",
      parts: [{ type: "reasoning", text: "secret plan", signature: "sig" }, call("z", "bash")],
    };
    const messages = [...longTurn(40, 1_000), thinking, results(result("z", "bash", "ok"))];
    const plan = planContext(messages, options(32_000, { traits, force: true }));
    const after = applyPlan(messages, plan, SUMMARY);
    expect(JSON.stringify(after)).not.toContain("secret plan");
    expect(originalsOf(messages, plan, digest).at(-1)?.content).toContain("secret plan");
  });

  it("T8: one summary exists at any time", () => {
    const first = planned(longTurn(40, 1_000), options(32_000, { force: true }));
    const grown = [
      ...first,
      ...longTurn(40, 1_000)
        .slice(2)
        .map((message) => renamed(message)),
    ];
    const second = planned(grown, options(32_000, { force: true }));
    expect(second.filter((message) => message.kind === "summary")).toHaveLength(1);
  });

  it("clips even where only one token is too much", () => {
    const ids = ["a", "b", "c", "d"];
    const answer = (size: number): Message[] => [
      system("rules"),
      assistant("on it"),
      calling(...ids.map((id) => call(id, "bash", { command: id }))),
      results(...ids.map((id) => result(id, "bash", words(size, id)))),
    ];
    const own = options(8_000);
    const rest = meter.total(answer(0));
    const each = Math.floor((own.budget.usable - rest) / ids.length);
    for (const size of [each, each + 1, each + 2, each + 3]) {
      const messages = answer(size);
      const after = applyPlan(messages, planContext(messages, own), SUMMARY);
      expect(meter.total(after)).toBeLessThan(own.budget.usable);
    }
  });

  it("keeps naming the first original of a piece that is shortened twice", () => {
    const big = words(3_000, "big");
    const first = [...longTurn(10, 400), ...step("x", "bash", {}, big)];
    const once = planned(first, options(8_000));
    const clipped = once
      .flatMap((message) => message.parts)
      .find((part) => part.type === "tool-result" && part.toolCallId === "x");
    const grown = [...once, ...step("y", "bash", {}, words(1_500, "more"))];
    const plan = planContext(grown, options(8_000, { force: true }));
    const twice = applyPlan(grown, plan, SUMMARY);
    const again = twice
      .flatMap((message) => message.parts)
      .find((part) => part.type === "tool-result" && part.toolCallId === "x");
    expect(again).not.toBe(clipped);
    expect(again).toMatchObject({ original: (clipped as { original?: string }).original });
    expect(
      originalsOf(grown, plan, digest).some(
        (one) => one.kind === "out" && one.content.includes("clipped"),
      ),
    ).toBe(false);
  });

  it("T11: describes the media of an unanswered message, and marks it", () => {
    const image: Message = {
      role: "user",
      parts: [
        { type: "text", text: "look" },
        { type: "file", mediaType: "image/png", data: "AAAA" },
      ],
    };
    const messages = [...longTurn(40, 1_000), assistant("done"), image];
    const after = planned(messages, options(32_000, { force: true }));
    expect(after.at(-1)).toMatchObject({
      metadata: { compaction_continue: true, had_media: true },
      parts: [
        { type: "text", text: "look" },
        { type: "text", text: expect.stringMatching(/^\[image\/png/) },
      ],
    });
  });

  it("refuses to compact when system messages alone fill the budget, and names them", () => {
    const messages = [system(words(5_000)), user("hi"), assistant("hello")];
    expect(() => planContext(messages, options(8_000))).toThrow(
      expect.objectContaining({
        code: "irreducible",
        message: expect.stringContaining("system message 0 (5004 tokens)"),
      }),
    );
  });

  it("counts what stands beside the messages", () => {
    const messages = longTurn(2, 100);
    expect(() => planContext(messages, options(8_000, { fixedTokens: 4_000 }))).toThrow(
      expect.objectContaining({ code: "irreducible" }),
    );
  });

  it("prunes nothing and promises nothing when the archive takes nothing", () => {
    const messages = longTurn(60, 2_000);
    const plan = planContext(messages, options(128_000, { canRecall: false }));
    expect(plan.action).toBe("compact");
    expect(plan.compaction?.handle).toBeUndefined();
    expect(originalsOf(messages, plan, digest)).toEqual([]);
    expect(JSON.stringify(applyPlan(messages, plan, { summary: "s" }))).not.toContain("head_");
    const small = planned(longTurn(10, 4_000), options(8_000, { canRecall: false }));
    expect(JSON.stringify(small)).not.toMatch(/recall (out|in|msg)_/);
  });

  it("brings the number of images below a limit", () => {
    const shots = Array.from({ length: 30 }, (_, n): Message => ({
      role: "user",
      parts: [
        { type: "text", text: `shot ${n}` },
        { type: "file", mediaType: "image/png", data: "AAAA" },
      ],
    }));
    const messages = [system("rules"), ...shots.flatMap((shot) => [shot, assistant("seen")])];
    const own = options(128_000, { requestLimits: { maxImages: 5 } });
    const after = planned(messages, own);
    expect(meter.totalSize(after).images).toBeLessThanOrEqual(5);
    expect(meter.totalSize(after).images).toBeGreaterThan(0);
  });

  describe("a first message that alone is too much", () => {
    const photo = { type: "file", mediaType: "image/jpeg", url: "https://example.com/1" } as const;
    const first = (tokens: number, photos: number): Message[] => [
      {
        role: "user",
        parts: [
          { type: "text", text: words(tokens) },
          ...Array.from({ length: photos }, (_, n) => ({ ...photo, url: `${photo.url}${n}` })),
        ],
      },
    ];

    it("fits into all limits of a request, its images described and archived", () => {
      const limits = fc.record({
        maxImages: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
        maxBytes: fc.option(fc.integer({ min: 4_000, max: 40_000 }), { nil: undefined }),
      });
      const cases = fc.record({
        tokens: fc.integer({ min: 10, max: 8_000 }),
        photos: fc.nat(6),
        limits,
        unansweredMedia: fc.constantFrom("describe" as const, "keep" as const),
      });
      fc.assert(
        fc.property(cases, ({ tokens, photos, limits: requestLimits, unansweredMedia }) => {
          const messages = first(tokens, photos);
          const own = options(8_000, { requestLimits, unansweredMedia });
          const plan = planContext(messages, own);
          const after = applyPlan(messages, plan);
          const size = meter.totalSize(after);
          expect(size.tokens).toBeLessThan(4_000);
          expect(size.images).toBeLessThanOrEqual(requestLimits.maxImages ?? Infinity);
          expect(size.bytes).toBeLessThanOrEqual(requestLimits.maxBytes ?? Infinity);
          const kept = new Set(originalsOf(messages, plan, digest).map(({ handle }) => handle));
          const named = JSON.stringify(after).match(/parts_[0-9a-f]{16}/g) ?? [];
          expect(named.filter((handle) => !kept.has(handle as Handle))).toEqual([]);
          expect(new Set(named).size + size.images).toBe(photos);
        }),
      );
    });
  });

  it("drops long reasoning of the newest step before the person's words are clipped", () => {
    const thinking: Message = {
      role: "assistant",
      parts: [{ type: "reasoning", text: words(9_000) }, call("z", "bash")],
    };
    const messages = [...longTurn(6, 300), thinking, results(result("z", "bash", "ok"))];
    const plan = planContext(messages, options(16_000));
    const after = applyPlan(messages, plan, SUMMARY);
    expect(meter.total(after)).toBeLessThan(8_000);
    expect(after).toContain(messages[1]);
    const originals = originalsOf(messages, plan, digest).map(({ content }) => content);
    expect(originals.some((content) => content.includes(words(9_000).slice(0, 500)))).toBe(true);
  });

  it("keeps the summary under a limit on bytes, and leaves room for the next steps", () => {
    const plan = planContext(
      longTurn(60, 200),
      options(128_000, { requestLimits: { maxBytes: 20_000 } }),
    );
    expect(plan.compaction?.summary.maxBytes).toBeLessThan(6_000);
    const after = applyPlan(longTurn(60, 200), plan, SUMMARY);
    expect(meter.totalSize(after).bytes).toBeLessThan(15_000);
  });

  it("describes the oldest images of one step that holds more than the limit", () => {
    const shots = Array.from({ length: 12 }, (_, n) => ({
      ...result(`s${n}`, "screenshot", `shot ${n}`),
      output: [
        { type: "text" as const, text: `shot ${n}` },
        { type: "file" as const, mediaType: "image/png", data: "AAAA" },
      ],
    }));
    const one = shots.map((shot) => results(shot));
    const messages = [
      ...longTurn(2, 10),
      calling(...shots.map((shot) => call(shot.toolCallId, "screenshot"))),
      ...one,
    ];
    const plan = planContext(messages, options(128_000, { requestLimits: { maxImages: 4 } }));
    const after = applyPlan(messages, plan, SUMMARY);
    expect(checkMessages(after)).toEqual([]);
    // Room is left for the next ones, or every step would be an edit.
    expect(meter.totalSize(after).images).toBe(3);
    expect(after.at(-1)).toBe(messages.at(-1));
    expect(originalsOf(messages, plan, digest).filter((own) => own.kind === "parts")).toHaveLength(
      9,
    );
  });

  it("is plain JSON, and the same plan gives the same bytes twice", () => {
    const messages = longTurn(40, 1_000);
    const plan = planContext(messages, options(32_000));
    const copy = JSON.parse(JSON.stringify(plan)) as ContextPlan;
    expect(copy).toEqual(plan);
    expect(JSON.stringify(applyPlan(messages, copy, SUMMARY))).toBe(
      JSON.stringify(applyPlan(messages, plan, SUMMARY)),
    );
  });

  it("keeps what came after the plan was made", () => {
    const messages = longTurn(40, 1_000);
    const plan = planContext(messages, options(32_000));
    const later = user("one more thing");
    expect(applyPlan([...messages, later], plan, SUMMARY).at(-1)).toBe(later);
  });
});

function renamed(message: Message): Message {
  return JSON.parse(JSON.stringify(message).replaceAll('"c', '"d')) as Message;
}

describe("the promises, over generated conversations", () => {
  const size = fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 6_000 }));
  const piece = fc.oneof(
    fc.record({ type: fc.constant("user" as const), size }),
    fc.record({ type: fc.constant("answer" as const), size }),
    fc.record({ type: fc.constant("step" as const), size, calls: fc.integer({ min: 1, max: 4 }) }),
  );
  const conversation = fc.array(piece, { minLength: 1, maxLength: 40 }).map((pieces) => [
    system("rules"),
    ...pieces.flatMap((own, n): Message[] => {
      if (own.type === "user") return [user(words(own.size, `u${n}`))];
      if (own.type === "answer") return [assistant(words(own.size + 1, `a${n}`))];
      const ids = Array.from({ length: own.calls }, (_, k) => `c${n}-${k}`);
      return [
        calling(...ids.map((id) => call(id, "bash", { command: id }))),
        results(...ids.map((id) => result(id, "bash", words(own.size, id)))),
      ];
    }),
  ]);
  const window = fc.constantFrom(8_000, 16_000, 32_000, 64_000);

  it("a prune ends below usable by its count, too, whatever was reported", () => {
    fc.assert(
      fc.property(
        conversation,
        window,
        fc.double({ min: 0.3, max: 2, noNaN: true }),
        (messages, tokens, share) => {
          const usedTokens = Math.ceil(meter.total(messages) * share);
          const own = options(tokens, { usedTokens });
          const plan = planContext(messages, own);
          if (plan.action !== "prune") return;
          const after = applyPlan(messages, plan);
          expect(planContext(after, options(tokens)).action).toBe("none");
        },
      ),
      { numRuns: runs(200, 2_000) },
    );
  });

  it("a larger summary is no reason to be irreducible, and leaves room for itself", () => {
    const fixed = fc.integer({ min: 0, max: 3_000 });
    const maxBytes = fc.option(fc.integer({ min: 8_000, max: 40_000 }), { nil: undefined });
    fc.assert(
      fc.property(conversation, fixed, maxBytes, (messages, fixedTokens, most) => {
        const requestLimits = most === undefined ? undefined : { maxBytes: most };
        const withSummary = (summaryTokens: number): PlanOptions => {
          const budget = contextBudget({ window: 4_000, reserved: 600, summaryTokens });
          return options(4_000, { budget, fixedTokens, requestLimits });
        };
        let small: ContextPlan;
        try {
          small = planContext(messages, withSummary(300));
        } catch {
          return;
        }
        const own = withSummary(2_000);
        const plan = planContext(messages, own);
        expect(plan.action === "none").toBe(small.action === "none");
        const { cap = 300, maxBytes: bytes = 1 } = plan.compaction?.summary ?? {};
        expect(cap).toBeGreaterThanOrEqual(300);
        expect(bytes).toBeGreaterThan(0);
        const after = applyPlan(messages, plan, { summary: words(cap, "s") });
        expect(fixedTokens + meter.total(after)).toBeLessThan(own.budget.usable);
      }),
      { numRuns: runs(300, 3_000) },
    );
  });

  it("never over, never invalid, never lost, untouched by identity, stable the second time", () => {
    fc.assert(
      fc.property(conversation, window, (messages, tokens) => {
        const own = options(tokens);
        const plan = planContext(messages, own);
        // The summary may take its whole cap, and the longest frame stands around it.
        const { handle, summary } = plan.compaction ?? {};
        const frame = { headHandle: handle, headMessages: 99_999, note: QUOTED };
        const effects = { summary: frameSummary(words(summary?.cap ?? 0, "s"), frame) };
        const after = applyPlan(messages, plan, effects);
        expect(meter.total(after)).toBeLessThan(own.budget.usable);
        expect(checkMessages(after)).toEqual([]);
        const all = originalsOf(messages, plan, digest);
        for (const { handle, kind, content } of all) {
          expect(handle).toBe(handleFor(kind, content, digest));
        }
        const originals = all.map((one) => one.content).join("\n");
        for (const message of messages) {
          if (after.includes(message)) continue;
          for (const part of message.parts) {
            if (part.type !== "tool-result") continue;
            const text = part.output[0]?.type === "text" ? part.output[0].text : "";
            const isKept = JSON.stringify(after).includes(JSON.stringify(text).slice(1, -1));
            expect(isKept || originals.includes(text)).toBe(true);
          }
        }
        expect(planContext(after, own).action).toBe("none");
      }),
      { numRuns: runs(30, 150) },
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pinnedMessages, tailStart } from "../../../src/core/compact/index.ts";
import { checkMessages, type Message } from "../../../src/core/message/index.ts";
import { frameSummary } from "../../../src/core/summary/index.ts";
import { createMessageMeter } from "../../../src/core/tokens/index.ts";
import { assistant, injected, quarter, step, system, user, words } from "../../build-messages.ts";

const meter = createMessageMeter(quarter);

describe("T8: where the tail starts", () => {
  const steps = Array.from({ length: 10 }, (_, n) => step(`c${n}`, "bash", {}, words(500))).flat();
  const messages = [system("rules"), user("go"), ...steps];

  it("walks back by whole steps until the budget is reached", () => {
    const start = tailStart(messages, { meter, budget: 1_200, minUnits: 2, floor: 1 });
    expect(messages[start]?.role).toBe("assistant");
    expect(meter.total(messages.slice(start))).toBeGreaterThanOrEqual(1_200);
    expect(meter.total(messages.slice(start + 2))).toBeLessThan(1_200);
  });

  it("keeps at least two units, however large they are", () => {
    const start = tailStart(messages, { meter, budget: 1, minUnits: 2, floor: 1 });
    expect(messages.length - start).toBe(4);
  });

  it("never starts inside the leading system messages", () => {
    expect(tailStart(messages, { meter, budget: 1e9, minUnits: 2, floor: 1 })).toBe(1);
  });

  it("never separates a call from its results", () => {
    fc.assert(
      fc.property(fc.nat({ max: 6_000 }), fc.integer({ min: 1, max: 5 }), (budget, minUnits) => {
        const start = tailStart(messages, { meter, budget, minUnits, floor: 1 });
        expect(checkMessages(messages.slice(start))).toEqual([]);
      }),
    );
  });
});

describe("T8: what stays of the head", () => {
  const head = [
    system("rules"),
    injected("AGENTS.md: use tabs"),
    user("first"),
    assistant("ok"),
    user("newest"),
    ...step("a", "bash", {}, "x"),
    { ...system("developer: never push"), kind: "injected" as const },
    ...step("b", "bash", {}, "y"),
  ];
  const pins = (usable: number): number[] =>
    pinnedMessages(head, { meter, usable, from: 1, to: 8 });

  it("is the newest user message, whatever its age, and the rules", () => {
    expect(pins(108_000)).toEqual([1, 4, 7]);
  });

  it("gives rules no more than a tenth of usable", () => {
    expect(pins(100)).toEqual([1, 4]);
    expect(pins(10)).toEqual([4]);
  });

  it("is nothing that an agent put behind a summary of its own, as Claude Code does with files", () => {
    const theirs = { ...user("This session is being continued."), kind: "summary" as const };
    const ours = {
      ...theirs,
      ...user(frameSummary("## Goal", { headMessages: 3 })),
      kind: "summary" as const,
    };
    const list = [
      injected("AGENTS.md: use tabs"),
      theirs,
      injected("File a.ts: export {}"),
      user("go on"),
    ];
    const pinsOf = (messages: readonly Message[]): number[] =>
      pinnedMessages(messages, { meter, usable: 108_000, from: 0, to: 3 });
    expect(pinsOf(list)).toEqual([0]);
    expect(pinsOf(list.with(1, ours))).toEqual([0, 2]);
  });

  it("is no user message that the tail holds anyway", () => {
    expect(pinnedMessages(head, { meter, usable: 108_000, from: 1, to: 4 })).toEqual([1]);
  });
});

import { describe, expect, it } from "vitest";
import {
  isUntouched,
  leadingSystemCount,
  splitUnits,
  toJson,
  turnStarts,
  withParts,
} from "../../../src/core/message/index.ts";
import type { Message } from "../../../src/core/message/index.ts";
import { assistant, injected, step, system, user } from "../../build-messages.ts";

describe("the structure of a conversation", () => {
  const messages = [
    system("rules"),
    user("one"),
    ...step("a", "read", {}, "1"),
    assistant("done"),
    injected("reminder"),
    user("two"),
  ];

  it("is made of units without gaps, a step being one", () => {
    expect(splitUnits(messages)).toEqual([
      { type: "message", from: 0, to: 1 },
      { type: "message", from: 1, to: 2 },
      { type: "step", from: 2, to: 4 },
      { type: "step", from: 4, to: 5 },
      { type: "message", from: 5, to: 6 },
      { type: "message", from: 6, to: 7 },
    ]);
  });

  it("has a turn wherever the person typed, and only there", () => {
    expect(turnStarts(messages)).toEqual([1, 6]);
  });

  it("counts leading system messages, but not a summary", () => {
    const summary: Message = { ...system("s"), kind: "summary" };
    expect(leadingSystemCount(messages)).toBe(1);
    expect(leadingSystemCount([system("a"), summary, system("b")])).toBe(1);
  });

  it("knows an untouched message by its own parts", () => {
    const parts = [{ type: "text" as const, text: "hi" }];
    const message: Message = {
      role: "user",
      parts,
      source: { dialect: "neutral", value: {}, parts },
    };
    expect(isUntouched(message, "neutral")).toBe(true);
    expect(isUntouched(message, "anthropic")).toBe(false);
    expect(isUntouched(withParts(message, [...parts]), "neutral")).toBe(false);
  });
});

describe("toJson", () => {
  it("writes what JSON.stringify writes, also ten thousand levels deep", () => {
    const shallow = { a: [1, "x", null, { b: true }], c: undefined, d: [undefined] };
    expect(toJson(shallow)).toBe(JSON.stringify(shallow));
    let deep: unknown = { leaf: "é\u2028" };
    for (let level = 0; level < 20_000; level++) deep = level % 2 === 0 ? [1, deep] : { deep };
    expect(toJson(JSON.parse(toJson(deep)))).toBe(toJson(deep));
  });

  it("refuses a cycle with a clear error", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(() => toJson(cycle)).toThrow(expect.objectContaining({ code: "invalid-message" }));
  });
});

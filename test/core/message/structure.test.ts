import { toJson } from "../../../src/core/text/json.ts";
import { describe, expect, it } from "vitest";
import {
  isUntouched,
  leadingSystemCount,
  splitUnits,
  turnStart,
  waitingCalls,
  withParts,
} from "../../../src/core/message/index.ts";
import type { Message } from "../../../src/core/message/index.ts";
import {
  assistant,
  call,
  calling,
  injected,
  result,
  results,
  step,
  system,
  user,
} from "../../build-messages.ts";

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
    expect([1, 2, 3].map((turns) => turnStart(messages, turns))).toEqual([6, 1, undefined]);
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

describe("units of linked parts", () => {
  const linked = (link: string): Message => ({
    role: "assistant",
    parts: [{ type: "opaque", kind: "server_tool", link, source: { dialect: "here", value: {} } }],
  });
  const spans = (messages: readonly Message[]) =>
    splitUnits(messages).map(({ type, from, to }) => [type, from, to]);

  it("reach from the first to the last part with the same link", () => {
    const messages = [
      user("a"),
      linked("1"),
      ...step("c", "read", {}, "x"),
      linked("1"),
      user("b"),
      linked("2"),
      user("c"),
    ];
    expect(spans(messages)).toEqual([
      ["message", 0, 1],
      ["step", 1, 5],
      ["message", 5, 6],
      ["step", 6, 7],
      ["message", 7, 8],
    ]);
  });

  it("are one where links cross or lie in each other", () => {
    const crossing = [linked("1"), linked("2"), user("a"), linked("1"), linked("2"), user("b")];
    expect(spans(crossing)).toEqual([
      ["step", 0, 5],
      ["message", 5, 6],
    ]);
    const nested = [linked("1"), linked("2"), linked("2"), linked("1"), linked("3")];
    expect(spans(nested)).toEqual([
      ["step", 0, 4],
      ["step", 4, 5],
    ]);
  });
});

describe("waitingCalls", () => {
  it("are the pending ones without a result in their step", () => {
    const waits = { ...call("a", "write"), pending: true as const };
    const again = { ...call("a", "write"), pending: true as const };
    const messages = [
      calling(waits, call("b", "read")),
      results(result("b", "read", "2")),
      results(result("a", "write", "1")),
      calling(again),
      user("well?"),
      results(result("a", "write", "late")),
    ];
    expect([...waitingCalls(messages)]).toEqual([again]);
    expect(waitingCalls(messages.slice(0, 2)).has(waits)).toBe(true);
    expect(waitingCalls(messages.slice(0, 3)).size).toBe(0);
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

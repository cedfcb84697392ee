import { expect, it } from "vitest";
import { createChain, isSameMessage } from "../../src/context/chain.ts";
import type { Message, ToolResultPart } from "../../src/core/message/index.ts";
import { system, user } from "../build-messages.ts";

const { keyOf, next } = createChain();
const result: ToolResultPart = {
  type: "tool-result",
  toolCallId: "1",
  toolName: "read",
  output: [{ type: "text", text: "[pruned]" }],
};
const one: Message = { role: "tool", parts: [{ ...result, time: { compacted: 1 } }] };

it("a key goes on from the key of the list before", () => {
  expect(keyOf([user("a"), user("b")])).toBe(next(keyOf([user("a")]), user("b")));
  expect(keyOf([])).toBe("");
  expect(keyOf([user("a"), user("b")])).not.toBe(keyOf([user("b"), user("a")]));
});

it("what says nothing does not count: times, ids, usage, native sources, a system role", () => {
  const source = { dialect: "test", value: {}, parts: [] };
  const other: Message = { role: "tool", parts: [result], source, id: "m1" };
  expect(isSameMessage(one, other)).toBe(true);
  expect(keyOf([other])).toBe(keyOf([one]));
  expect(keyOf([system("a")])).toBe(keyOf([user("a")]));
});

it.each<Message>([
  { role: "tool", parts: [{ ...result, toolCallId: "2" }] },
  { role: "tool", parts: [{ ...result, output: [{ type: "text", text: "[another]" }] }] },
  { role: "user", parts: one.parts },
  { role: "tool", parts: [...one.parts, ...one.parts] },
])("what is said counts: %j", (other) => {
  expect(isSameMessage(one, other)).toBe(false);
  expect(keyOf([other])).not.toBe(keyOf([one]));
});

it("what one part says cannot be said by two, or by another kind of part", () => {
  const text = (said: string) => ({ type: "text" as const, text: said });
  const lists: Message["parts"][] = [
    [text("a"), text("b")],
    [text("ab")],
    [text("atext 1:b")],
    [text("a"), text(""), text("b")],
    [{ type: "reasoning", text: "a" }],
    [{ type: "reasoning", text: "a", signature: "" }],
    [{ ...result, output: [text("a"), text("b")] }],
    [{ ...result, output: [text("atext 1:b")] }],
  ];
  const keys = lists.map((parts) => keyOf([{ role: "tool", parts }]));
  expect(new Set(keys).size).toBe(lists.length);
  expect(keys.every((key) => /^[0-9a-f]{16}$/.test(key))).toBe(true);
});

it("keys of many lists differ", () => {
  let key = "";
  const keys = new Set<string>();
  for (let n = 0; n < 20_000; n++) keys.add((key = next(key, user(n % 2 === 0 ? "a" : "b"))));
  expect(keys.size).toBe(20_000);
});

it("a key stays the same from version to version, because journals hold it", () => {
  expect(keyOf([user("a"), one, system("b")])).toBe("1f1bea71be55e506");
});

import { expect, it } from "vitest";
import { sha256Hex } from "../../src/archive/digest.ts";
import { createChain, isSameMessage } from "../../src/context/chain.ts";
import type { Message, ToolResultPart } from "../../src/core/message/index.ts";
import { system, user } from "../build-messages.ts";

const { keyOf, next } = createChain(sha256Hex);
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

import { expect, test } from "vitest";
import { type Message, withParts } from "../../src/core/message/index.ts";
import { fromNative, groupByNative, withFields } from "../../src/dialects/native-message.ts";

const text = (value: string) => ({ type: "text" as const, text: value });
const tool = { role: "tool" as const, parts: [] };
const user = { role: "user" as const, parts: [text("hi")] };
const native = { id: 1 };
const pieces = fromNative("here", native, [tool, user]) as [Message, Message];

const shape = (messages: readonly Message[]) =>
  groupByNative(messages, "here").map((group) => [group.messages.length, group.isWhole]);

test("the pieces of a native message are one group, whole when nothing is missing or edited", () => {
  expect(shape(pieces)).toEqual([[2, true]]);
  expect(groupByNative(pieces, "here")[0]?.native).toBe(native);
  expect(shape([pieces[0]])).toEqual([[1, false]]);
  expect(shape([pieces[0], withParts(pieces[1], [])])).toEqual([[2, false]]);
});

test("the same native message twice is two groups; other messages stand alone", () => {
  expect(shape([...pieces, ...pieces])).toEqual([
    [2, true],
    [2, true],
  ]);
  expect(shape([pieces[0], user, pieces[1]])).toEqual([
    [1, false],
    [1, false],
    [1, false],
  ]);
  expect(groupByNative(pieces, "elsewhere")).toHaveLength(2);
  expect(groupByNative([user], "here")[0]?.native).toBeUndefined();
});

test("fields that say the same leave the object alone, others make a copy", () => {
  const item = {};
  const before = { a: 1, list: [item], b: 2 };
  expect(withFields(before, { a: 1, list: [item], c: undefined })).toBe(before);
  const after = withFields(before, { a: undefined, b: 3, list: [item] });
  expect(after).toEqual({ list: [item], b: 3 });
  expect(after.list).toBe(before.list);
  expect(before).toEqual({ a: 1, list: [item], b: 2 });
});

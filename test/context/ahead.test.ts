import { expect, it } from "vitest";
import { createAhead } from "../../src/context/ahead.ts";
import type { Message } from "../../src/core/message/index.ts";
import { assistant, system, user } from "../build-messages.ts";

const list = [system("todo 1"), user("do the work"), assistant("done"), user("and now?")];

it.each<[name: string, messages: readonly Message[], isKept: boolean]>([
  ["the same", list, true],
  ["more", [...list, assistant("yes")], true],
  ["another system prompt", [system("todo 2"), ...list.slice(1)], true],
  ["one system message more", [system("date"), ...list], false],
  ["another head", [list[0]!, user("do nothing"), ...list.slice(2)], false],
  ["less", list.slice(0, 2), false],
])("a summary is kept for a list that begins as what it was written about: %s", (...row) => {
  const [, messages, isKept] = row;
  const ahead = createAhead();
  const head = { messages: list, system: 1, tailStart: 3, cap: 1_000 };
  ahead.begin(head, () => Promise.resolve(undefined));
  expect(ahead.match(messages) !== undefined).toBe(isKept);
  expect(ahead.discarded).toBe(isKept ? 0 : 1);
});

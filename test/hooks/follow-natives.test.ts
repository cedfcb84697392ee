import { expect, test } from "vitest";
import { createOpenAIResponsesDecoder } from "../../src/dialects/openai-responses/openai-responses.ts";
import type { ResponsesItem } from "../../src/dialects/openai-responses/wire.ts";
import { followNatives } from "../../src/hooks/follow-natives.ts";

const usage = { input: 100, output: 20 };
const said = (content: string): ResponsesItem =>
  ({ type: "message", role: "assistant", content }) as ResponsesItem;
const asked = (content: string): ResponsesItem =>
  ({ type: "message", role: "user", content }) as ResponsesItem;
const question = asked("what?");
const create = () => followNatives(createOpenAIResponsesDecoder);

test("what was reported belongs to an answer that nothing follows yet", () => {
  const follower = create();
  const list = [question, said("this")];
  follower.decode([question]);
  const reported = follower.decode(list, usage);
  expect(reported.map((message) => message.usage)).toEqual([undefined, usage]);
  // The same list is the same messages.
  expect(follower.decode(list)[1]).toBe(reported[1]);
  // Something follows: the answer is still the same object.
  expect(follower.decode([...list, asked("and?")])[1]).toBe(reported[1]);
});

test("an answer that grows loses what was reported for a part of it", () => {
  const follower = create();
  const list = [question, said("this")];
  follower.decode(list, usage);
  const grown = follower.decode([...list, said("and that")]);
  expect(grown).toHaveLength(2);
  expect(grown[1]?.usage).toBeUndefined();
  expect(grown[1]?.parts).toHaveLength(2);
});

test("a list that begins otherwise is decoded anew", () => {
  const follower = create();
  follower.decode([question, said("this")], usage);
  const other = follower.decode([asked("else?"), said("this")]);
  expect(other.map((message) => message.usage)).toEqual([undefined, undefined]);
  expect(other).toHaveLength(2);
});

test("what was reported for a list says nothing of one that somebody took something out of", () => {
  const follower = create();
  const list = [question, said("this"), asked("and?"), said("that"), asked("go on")];
  follower.decode(list);
  const less = follower.decode([question, asked("go on"), said("done")], usage);
  expect(less.map((message) => message.usage)).toEqual([undefined, undefined, undefined]);
  // The next answer is one to that list.
  const next = [question, asked("go on"), said("done"), asked("more"), said("so")];
  expect(follower.decode(next, usage).at(-1)?.usage).toEqual(usage);
});

test("a list may have any length, as it came and as it was returned", () => {
  const follower = create();
  const list = Array.from({ length: 200_000 }, () => question);
  const messages = follower.decode(list);
  expect(messages).toHaveLength(list.length);
  const returned = list.with(0, asked("else?"));
  follower.adopt(returned, messages);
  expect(follower.decode([...returned, question])).toHaveLength(list.length + 1);
});

test("a store gives back other objects, and breakpoints move on", () => {
  const follower = create();
  const content = [{ type: "input_text", text: "what?" }];
  const marked = [{ ...content[0], cache_control: { type: "ephemeral" } }];
  const one = { type: "message", role: "user", content: marked } as ResponsesItem;
  follower.decode([one]);
  const stored = [{ ...one, content } as ResponsesItem, said("this")];
  expect(follower.decode(stored, usage).at(-1)?.usage).toEqual(usage);
});

test("a list that was returned grows in place", () => {
  const follower = create();
  follower.decode([asked("a")]);
  const returned = [asked("b")];
  const messages = create().decode(returned);
  follower.adopt(returned, messages);
  returned.push(said("answer"));
  const decoded = follower.decode(returned);
  expect(decoded[0]).toBe(messages[0]);
  expect(decoded.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

import { expect, test } from "vitest";
import type { AiSdkMessage } from "../../src/dialects/ai-sdk/wire.ts";
import { aiSdkMarks, wireMarks, withoutStaleMarks } from "../../src/hooks/stale-marks.ts";

const mark = { cache_control: { type: "ephemeral" } };
const message = (text: string, more: object = {}) => ({ content: [{ text, ...more }] });
const marks = wireMarks<object>((one, content) => ({ ...one, content }));

test("as many breakpoints stay as the caller has, and the newest ones", () => {
  const newest = message("c", mark);
  const given = [message("a"), message("b"), newest];
  const sent = [message("a", mark), message("b", mark), newest];
  const kept = withoutStaleMarks(sent, given, marks);
  expect(kept).toEqual([message("a"), message("b"), newest]);
  expect(kept[2]).toBe(newest);
});

test("the caller's own objects keep theirs, and one that moved to an edited message stays", () => {
  const own = message("a", mark);
  const sent = [own, message("b", mark), message("an edited one", mark)];
  const given = [own, message("b"), message("c", mark)];
  expect(withoutStaleMarks(sent, given, marks).map(marks.count)).toEqual([1, 0, 1]);
});

test("those inside of results go, too; without any the list is the very same", () => {
  const result = { content: [{ type: "tool_result", content: [{ text: "a", ...mark }] }] };
  const kept = withoutStaleMarks<object>([result], [message("a")], marks);
  expect(kept).toEqual([{ content: [{ type: "tool_result", content: [{ text: "a" }] }] }]);
  const sent = [message("a"), { content: "b" }, {}];
  expect(withoutStaleMarks<object>(sent, [], marks)).toBe(sent);
});

test("those of the AI SDK are on messages and parts, and other options stay", () => {
  const anthropic = { cacheControl: { type: "ephemeral" }, effort: "low" };
  const part = { type: "text" as const, text: "a", providerOptions: { anthropic } };
  const sent: AiSdkMessage[] = [
    {
      role: "user",
      content: "a",
      providerOptions: { bedrock: { cachePoint: { type: "default" } } },
    },
    { role: "user", content: [part, part] },
  ];
  expect(sent.map(aiSdkMarks.count)).toEqual([1, 2]);
  const other = { ...part, providerOptions: { anthropic: { effort: "low" } } };
  expect(withoutStaleMarks(sent, [], aiSdkMarks)).toEqual([
    { role: "user", content: "a", providerOptions: { bedrock: {} } },
    { role: "user", content: [other, other] },
  ]);
});

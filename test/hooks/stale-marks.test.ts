import { expect, test } from "vitest";
import { countMarks, withoutStaleMarks } from "../../src/hooks/stale-marks.ts";

const mark = { cache_control: { type: "ephemeral" } };
const message = (text: string, more: object = {}) => ({ content: [{ text, ...more }] });
const withContent = (one: object, content: unknown) => ({ ...one, content }) as typeof one;

test("as many breakpoints stay as the caller has, and the newest ones", () => {
  const newest = message("c", mark);
  const given = [message("a"), message("b"), newest];
  const sent = [message("a", mark), message("b", mark), newest];
  const kept = withoutStaleMarks<object>(sent, given, withContent);
  expect(kept).toEqual([message("a"), message("b"), newest]);
  expect(kept[2]).toBe(newest);
});

test("the caller's own objects keep theirs, and one that moved to an edited message stays", () => {
  const own = message("a", mark);
  const sent = [own, message("b", mark), message("an edited one", mark)];
  const given = [own, message("b"), message("c", mark)];
  expect(withoutStaleMarks<object>(sent, given, withContent).map(countMarks)).toEqual([1, 0, 1]);
});

test("those inside of results go, too; without any the list is the very same", () => {
  const result = { content: [{ type: "tool_result", content: [{ text: "a", ...mark }] }] };
  const kept = withoutStaleMarks<object>([result], [message("a")], withContent);
  expect(kept).toEqual([{ content: [{ type: "tool_result", content: [{ text: "a" }] }] }]);
  const sent = [message("a"), { content: "b" }, {}];
  expect(withoutStaleMarks<object>(sent, [], withContent)).toBe(sent);
});

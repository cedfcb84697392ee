import { describe, expect, it } from "vitest";
import { checkMessages, createMessageCheck } from "../../../src/core/message/index.ts";
import { assistant, call, calling, result, results, step, user } from "../../build-messages.ts";

const rules = (messages: Parameters<typeof checkMessages>[0]): string[] =>
  checkMessages(messages).map((issue) => issue.rule);

describe("checkMessages", () => {
  it("accepts a legal conversation with parallel calls", () => {
    const messages = [
      user("go"),
      calling(call("a", "read"), call("b", "read")),
      results(result("b", "read", "2"), result("a", "read", "1")),
      assistant("done"),
    ];
    expect(checkMessages(messages)).toEqual([]);
  });

  it("accepts the results of one step in several tool messages", () => {
    const messages = [
      calling(call("a", "read"), call("b", "read")),
      results(result("a", "read", "1")),
      results(result("b", "read", "2")),
    ];
    expect(checkMessages(messages)).toEqual([]);
  });

  it("finds a call without a result", () => {
    expect(rules([user("go"), calling(call("a", "read"))])).toEqual(["unanswered-tool-call"]);
  });

  it("finds a result that does not follow its call directly", () => {
    const messages = [
      calling(call("a", "read")),
      user("wait"),
      results(result("a", "read", "late")),
    ];
    expect(rules(messages)).toEqual(["unanswered-tool-call", "unpaired-tool-result"]);
  });

  it("finds a result without a call, and a second result of one call", () => {
    expect(rules([results(result("x", "read", "?"))])).toEqual(["unpaired-tool-result"]);
    const twice = [
      calling(call("a", "read")),
      results(result("a", "read", "1"), result("a", "read", "2")),
    ];
    expect(rules(twice)).toEqual(["unpaired-tool-result"]);
  });

  it("finds ids that are missing or used twice", () => {
    expect(rules(step("", "read", {}, "1"))).toEqual(["missing-tool-call-id"]);
    expect(rules([...step("a", "read", {}, "1"), ...step("a", "read", {}, "2")])).toEqual([
      "duplicate-tool-call-id",
    ]);
  });

  it("finds parts in messages of the wrong role, and empty messages", () => {
    expect(rules([{ role: "user", parts: [call("a", "read")] }])).toEqual(["misplaced-part"]);
    expect(rules([{ role: "user", parts: [{ type: "reasoning", text: "hm" }] }])).toEqual([
      "misplaced-part",
    ]);
    expect(rules([{ role: "assistant", parts: [] }])).toEqual(["empty-message"]);
  });
});

describe("a pending call", () => {
  const waits = { ...call("a", "write"), pending: true as const };

  it("may have no result, at the end of the list and before the next turn", () => {
    expect(rules([user("go"), calling(waits)])).toEqual([]);
    const both = [calling(waits, call("b", "read")), results(result("b", "read", "2"))];
    expect(rules([...both, user("well?")])).toEqual([]);
  });

  it("takes a result in its step, and only there", () => {
    expect(rules([calling(waits), results(result("a", "write", "1"))])).toEqual([]);
    const late = [calling(waits), user("wait"), results(result("a", "write", "1"))];
    expect(rules(late)).toEqual(["unpaired-tool-result"]);
  });
});

describe("createMessageCheck", () => {
  it("finds the same message by message, also while a call is still open", () => {
    const messages = [
      ...step("a", "read", {}, "1"),
      calling(call("a", "read"), call("b", "read")),
      results(result("b", "read", "2")),
      user("go"),
      results(result("c", "read", "3")),
    ];
    const check = createMessageCheck();
    messages.forEach((message, index) => {
      check.add(message);
      expect(check.issues()).toEqual(checkMessages(messages.slice(0, index + 1)));
    });
    expect(check.issues().map(({ rule }) => rule)).toEqual([
      "duplicate-tool-call-id",
      "unanswered-tool-call",
      "unpaired-tool-result",
    ]);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMessages, NO_RESULT_TEXT, repairMessages } from "../../../src/core/message/index.ts";
import type { Message, Part } from "../../../src/core/message/index.ts";
import {
  assistant,
  call,
  calling,
  injected,
  result,
  results,
  step,
  user,
} from "../../build-messages.ts";
import { runs } from "../../property/runs.ts";

describe("repairMessages", () => {
  it("returns a legal list itself", () => {
    const messages = [user("go"), ...step("a", "read", {}, "1"), assistant("done")];
    expect(repairMessages(messages).messages).toBe(messages);
  });

  it("keeps every message that needs no repair as the same object", () => {
    const messages = [user("go"), ...step("a", "read", {}, "1"), calling(call("b", "read"))];
    const repaired = repairMessages(messages).messages;
    expect(repaired.slice(0, 4).every((message, index) => message === messages[index])).toBe(true);
  });

  it("gives a call without a result an error result", () => {
    const { messages, repairs } = repairMessages([user("go"), calling(call("a", "bash"))]);
    expect(messages[2]).toEqual(results(result("a", "bash", NO_RESULT_TEXT, true)));
    expect(repairs).toHaveLength(1);
  });

  it("keeps a result without a call as an injected user message", () => {
    const { messages } = repairMessages([user("go"), results(result("x", "bash", "orphan"))]);
    expect(messages[1]?.role).toBe("user");
    expect(messages[1]?.kind).toBe("injected");
    expect(JSON.stringify(messages[1]?.parts)).toContain("orphan");
  });

  it("moves a result up to its call, past what came between", () => {
    const late = results(result("a", "bash", "late"));
    const between = injected("<system-reminder>");
    const { messages } = repairMessages([calling(call("a", "bash")), between, late]);
    expect(messages).toEqual([calling(call("a", "bash")), late, between]);
    expect(messages[1]).toBe(late);
  });

  it("moves a result that stands before its call", () => {
    const { messages } = repairMessages([
      user("go"),
      results(result("a", "bash", "early")),
      calling(call("a", "bash")),
    ]);
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "tool"]);
    expect(JSON.stringify(messages[2])).toContain("early");
  });

  it("gives the second use of an id a new one, for call and result", () => {
    const { messages } = repairMessages([
      ...step("a", "read", {}, "first"),
      ...step("a", "read", {}, "second"),
    ]);
    expect(checkMessages(messages)).toEqual([]);
    expect(messages[3]).toEqual(results(result("a-2", "read", "second")));
  });

  it("pairs results without ids by position", () => {
    const { messages } = repairMessages([
      calling(call("", "read", { path: "a" }), call("", "read", { path: "b" })),
      results(result("", "read", "A"), result("", "read", "B")),
    ]);
    expect(checkMessages(messages)).toEqual([]);
    expect(messages[1]?.parts.map((part) => JSON.stringify(part).includes("A"))).toEqual([
      true,
      false,
    ]);
  });

  it("drops empty messages", () => {
    const { messages } = repairMessages([user("go"), { role: "assistant", parts: [] }]);
    expect(messages).toEqual([user("go")]);
  });

  it("leaves a pending call alone, and gives it a result that is there", () => {
    const waits = { ...call("a", "write"), pending: true as const };
    const torn = calling(call("b", "bash"));
    const { messages, repairs } = repairMessages([torn, calling(waits)]);
    expect(messages.at(-1)).toEqual(calling(waits));
    expect(repairs).toHaveLength(1);
    const late = results(result("a", "write", "done"));
    expect(repairMessages([calling(waits), user("and?"), late]).messages).toEqual([
      calling(waits),
      late,
      user("and?"),
    ]);
  });

  it("leaves what is opaque in the tool messages of its step", () => {
    const opaque: Part = { type: "opaque", kind: "answer", source: { dialect: "here", value: {} } };
    const answer: Message = { role: "tool", parts: [opaque] };
    const mixed: Message = { role: "tool", parts: [opaque, result("x", "grep", "orphan")] };
    const { messages } = repairMessages([calling(call("a", "bash")), user("and?"), answer, mixed]);
    expect(checkMessages(messages)).toEqual([]);
    expect(messages.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)])).toEqual([
      ["assistant", "tool-call"],
      ["tool", "opaque"],
      ["tool", "opaque"],
      ["tool", "tool-result"],
      ["user", "text"],
      ["user", "text"],
    ]);
    expect(messages[1]).toBe(answer);
  });

  it("loses nothing silently, wherever a part stands and however often", () => {
    const part = fc.uuid().chain((text) =>
      fc.constantFrom<Part>(
        { type: "text", text },
        { type: "reasoning", text },
        { type: "file", mediaType: "image/png", data: text },
        { type: "tool-call", toolCallId: "a", toolName: "bash", input: { command: text } },
        result("a", "bash", text),
        {
          ...result("b", "shot", ""),
          output: [{ type: "file", mediaType: "image/png", data: text }],
        },
        {
          ...result("", "search", ""),
          output: [{ type: "opaque", kind: "hit", source: { dialect: "here", value: text } }],
        },
      ),
    );
    const message = fc.record({
      role: fc.constantFrom(
        "system" as const,
        "user" as const,
        "assistant" as const,
        "tool" as const,
      ),
      parts: fc.array(part, { maxLength: 4 }),
    });
    const lists = fc
      .tuple(fc.array(message, { maxLength: 8 }), fc.nat(7), fc.boolean())
      .map(([list, at, isTwice]): Message[] => {
        const again = list[at];
        if (again === undefined) return list;
        const twice = { ...again, parts: [...again.parts, ...again.parts] };
        return isTwice ? list.with(at, twice) : [...list, again];
      });
    fc.assert(
      fc.property(lists, (list) => {
        const { messages, dropped, repairs } = repairMessages(list);
        expect(checkMessages(messages)).toEqual([]);
        const found = JSON.stringify([messages, dropped]);
        for (const text of JSON.stringify(list).match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? []) {
          expect(found).toContain(text);
        }
        if (dropped.length > 0)
          expect(repairs.map((one) => one.message).join()).toMatch(/left out/);
        // What stands behind the leading system messages does not depend on them.
        const lead = list.findIndex(({ role }) => role !== "system");
        const rest = repairMessages(list.slice(lead)).messages;
        if (lead > 0) expect(messages.slice(messages.length - rest.length)).toEqual(rest);
      }),
      { numRuns: runs(200, 2_000) },
    );
  });

  it("makes any list legal, loses no text, and repairs nothing twice", () => {
    const id = fc.constantFrom("", "a", "b", "c");
    const text = fc.uuid();
    const message: fc.Arbitrary<Message> = fc.oneof(
      text.map(user),
      text.map(injected),
      text.map(assistant),
      fc.array(id, { maxLength: 3 }).map((ids) => calling(...ids.map((own) => call(own, "bash")))),
      id.map((own) => calling({ ...call(own, "bash"), pending: true })),
      fc.tuple(id, text).map(([own, kind]): Message => {
        const source = { dialect: "here", value: kind };
        return {
          role: "tool",
          parts: [{ type: "opaque", kind, source }, result(own, "bash", "ok")],
        };
      }),
      fc
        .array(fc.tuple(id, text), { maxLength: 3 })
        .map((pairs) => results(...pairs.map(([own, output]) => result(own, "bash", output)))),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        const repaired = repairMessages(messages).messages;
        expect(checkMessages(repaired)).toEqual([]);
        const after = JSON.stringify(repaired);
        for (const output of JSON.stringify(messages).match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? []) {
          expect(after).toContain(output);
        }
        expect(repairMessages(repaired).messages).toBe(repaired);
      }),
      { numRuns: runs(100, 500) },
    );
  });
});

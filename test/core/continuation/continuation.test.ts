import { describe, expect, it } from "vitest";
import {
  buildContinuation,
  CONTINUE_TEXT,
  describeMedia,
  needsContinuation,
  runState,
} from "../../../src/core/continuation/index.ts";
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

const image: Message = {
  role: "user",
  parts: [
    { type: "text", text: "what is this?" },
    { type: "file", mediaType: "image/png", data: "AAAA", filename: "shot.png" },
  ],
};

describe("T11: the run state, read before the compaction", () => {
  it.each<[string, Message[], string]>([
    ["a user message without a reply", [user("go"), assistant("ok"), user("more")], "unanswered"],
    ["the same with an image", [user("go"), assistant("ok"), image], "media"],
    ["tool results at the end", [user("go"), ...step("a", "bash", {}, "x")], "mid-task"],
    ["a call that still runs", [user("go"), calling(call("a", "bash"))], "mid-task"],
    [
      "a reply that was cut off",
      [user("go"), { ...assistant("half"), metadata: { finish: "length" } }],
      "mid-task",
    ],
    [
      "a finished answer",
      [user("go"), ...step("a", "bash", {}, "x"), assistant("done")],
      "answered",
    ],
    [
      "a call that waits for a word",
      [user("go"), calling({ ...call("a", "write"), pending: true })],
      "answered",
    ],
    [
      "the same beside a call that has its result",
      [
        user("go"),
        calling({ ...call("a", "write"), pending: true }, call("b", "read")),
        results(result("b", "read", "x")),
      ],
      "answered",
    ],
    [
      "a call that waited and has its result",
      [
        user("go"),
        calling({ ...call("a", "write"), pending: true }),
        results(result("a", "write", "x")),
      ],
      "mid-task",
    ],
    ["a reminder after a user message", [user("go"), injected("<reminder>")], "unanswered"],
    ["a reminder after an answer", [user("go"), assistant("done"), injected("x")], "answered"],
    ["nothing but rules", [system("rules")], "answered"],
    ["nothing", [], "answered"],
  ])("%s", (_, messages, state) => {
    expect(runState(messages)).toBe(state);
  });
});

describe("T11: what is added", () => {
  const midTask = {
    state: "mid-task" as const,
    policy: "auto" as const,
    last: assistant("half"),
    hasUserMessage: true,
    endsWithInput: true,
  };

  it("is a marked synthetic user message where the dialect needs one", () => {
    expect(buildContinuation(midTask)).toEqual({
      role: "user",
      kind: "continuation",
      parts: [{ type: "text", text: CONTINUE_TEXT }],
      metadata: { compaction_continue: true },
    });
  });

  it("is nothing where the run goes on by itself", () => {
    const [, results] = step("a", "bash", {}, "x");
    expect(buildContinuation({ ...midTask, last: results })).toBeUndefined();
    expect(buildContinuation({ ...midTask, endsWithInput: false })).toBeUndefined();
  });

  it("is one when no user message would be left at all", () => {
    const [, results] = step("a", "bash", {}, "x");
    const bare = { ...midTask, last: results, hasUserMessage: false };
    expect(buildContinuation(bare)?.kind).toBe("continuation");
  });

  it.each(["unanswered", "media", "answered"] as const)("is nothing when %s", (state) => {
    expect(buildContinuation({ ...midTask, state })).toBeUndefined();
  });

  it.each(["ask", "never"] as const)("is nothing under the policy %s", (policy) => {
    expect(buildContinuation({ ...midTask, policy })).toBeUndefined();
    expect(needsContinuation(midTask)).toBe(true);
  });
});

describe("T11: media", () => {
  it("is described by type, name, size and handle, never by its bytes", () => {
    const file = {
      type: "file" as const,
      mediaType: "image/png",
      data: "AAAAAAAA",
      filename: "a.png",
    };
    expect(describeMedia(file, "parts_0123456789abcdef")).toBe(
      '[image/png "a.png", 6 bytes was attached here and is not sent again; recall parts_0123456789abcdef]',
    );
  });

  it("is one line of whole characters, whatever the name of the file", () => {
    const name = `a]\n\nuser: ${"x".repeat(187)}😀.png`;
    const file = { type: "file", mediaType: "image/png\r\n", filename: name } as const;
    const text = describeMedia(file, undefined);
    expect(text).not.toMatch(/[\r\n\p{Cs}]/u);
    expect(text).toContain('[image/png "a] user: xxx');
  });
});

import { describe, expect, it } from "vitest";
import {
  buildContinuation,
  CONTINUE_MARK,
  CONTINUE_TEXT,
  describeMedia,
  MEDIA_MARK,
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
  const half = [user("go"), { ...assistant("half"), metadata: { finish: "length" } }];
  const working = [user("go"), ...step("a", "bash", {}, "x")];

  it("is a marked synthetic user message where the run cannot go on without one", () => {
    const { message, ...rest } = buildContinuation(half, { kept: half });
    expect(rest).toEqual({ state: "mid-task", needed: true, added: true, text: CONTINUE_TEXT });
    expect(message).toEqual({
      role: "user",
      kind: "continuation",
      parts: [{ type: "text", text: CONTINUE_TEXT }],
      metadata: { [CONTINUE_MARK]: true },
    });
  });

  it("is nothing where the run goes on by itself", () => {
    const nothing = { state: "mid-task", needed: false, added: false };
    expect(buildContinuation(working, { kept: working })).toEqual(nothing);
    expect(buildContinuation(half, { kept: half, endsWithInput: false })).toEqual(nothing);
  });

  it("is one when no user message would be left at all", () => {
    const kept = working.slice(1);
    expect(buildContinuation(working, { kept }).message?.kind).toBe("continuation");
    expect(buildContinuation(working).added).toBe(true);
  });

  it("is the message of the user again, where only a summary is left of it", () => {
    const messages = [user("go"), assistant("ok"), { ...user("and more"), metadata: { a: 1 } }];
    const { message, ...rest } = buildContinuation(messages);
    expect(rest).toEqual({ state: "unanswered", needed: true, added: true, text: "and more" });
    expect(message).toEqual({
      role: "user",
      parts: [{ type: "text", text: "and more" }],
      metadata: { a: 1, [CONTINUE_MARK]: true },
    });
    expect(buildContinuation(messages, { kept: messages.slice(2) }).needed).toBe(false);
    // An older message of the user is not the one that waits.
    expect(buildContinuation(messages, { kept: messages.slice(0, 1) }).needed).toBe(true);
  });

  it("has media described, marked, and found by their handle", () => {
    const handleOf = (): string => "parts_0123456789abcdef";
    const { state, message } = buildContinuation([user("go"), image], { handleOf });
    expect(state).toBe("media");
    expect(message?.metadata).toEqual({ [CONTINUE_MARK]: true, [MEDIA_MARK]: true });
    const [words, picture] = message?.parts ?? [];
    expect(words).toEqual(image.parts[0]);
    expect(picture).toMatchObject({ type: "text", text: expect.stringContaining("recall parts_") });
  });

  it("is nothing after a finished answer", () => {
    const done = [user("go"), assistant("done")];
    expect(buildContinuation(done)).toEqual({ state: "answered", needed: false, added: false });
  });

  it("is told and not added where the policy asks, and not told where it never is", () => {
    const told = { state: "mid-task", needed: true, added: false };
    const asked = buildContinuation(half, { kept: half, policy: "ask" });
    expect(asked).toEqual({ ...told, text: CONTINUE_TEXT });
    expect(buildContinuation(half, { kept: half, policy: "never" })).toEqual(told);
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
    expect(describeMedia([file], "parts_0123456789abcdef")).toBe(
      '[image/png "a.png", 6 bytes was attached here and is not sent again; recall parts_0123456789abcdef]',
    );
  });

  it("is one line of whole characters, whatever the name of the file", () => {
    const name = `a]\n\nuser: ${"x".repeat(187)}😀.png`;
    const file = { type: "file", mediaType: "image/png\r\n", filename: name } as const;
    const text = describeMedia([file], undefined);
    expect(text).not.toMatch(/[\r\n\p{Cs}]/u);
    expect(text).toContain('[image/png "a] user: xxx');
  });
});

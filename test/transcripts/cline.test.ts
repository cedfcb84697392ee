import { existsSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMessages, messageText, type Message } from "../../src/core/message/index.ts";
import { cline } from "../../src/transcripts/cline/cline.ts";
import type { Conversation, Reading } from "../../src/transcripts/transcript.ts";
import { describeTranscript } from "../conformance/describe-transcript.ts";
import { recording, RECORDINGS } from "../recordings.ts";
import { withoutValues } from "./without-values.ts";
import { countsOf } from "./counts.ts";
import { isCline } from "../../src/transcripts/signs.ts";

const WHOLE = "cline/cline-session.messages.json";
const BASIC = "cline/cline-session.after-basic-compaction.json";
const AGENTIC = "cline/cline-session.after-agentic-compaction.json";

describeTranscript("cline", [
  { file: WHOLE },
  { file: BASIC },
  {
    file: AGENTIC,
    // The first message, the summary, is more than half of the file.
    cutAt: [0.6, 0.9, 0.999],
    differs: {
      reason:
        "the manifest counts the summary, which has the role user but was written by the model",
      counts: { typedUserTurns: 1 },
    },
  },
]);

function conversationOf(reading: Reading): Conversation {
  return reading.conversations[0]!;
}

function recorded(file: string): Conversation {
  return conversationOf(cline.read(JSON.parse(recording(file).toString())));
}

function readList(messages: readonly unknown[]): Reading {
  return cline.read(messages);
}

function outline(messages: readonly Message[]): string[] {
  return messages.map(({ role, kind, parts }) => {
    const text = parts.map((part) => (part.type === "text" ? part.text : part.type)).join("+");
    return `${kind ?? role}: ${text}`;
  });
}

function user(content: unknown, extra: object = {}): object {
  return { role: "user", content, ts: 1, ...extra };
}

function assistant(content: unknown, extra: object = {}): object {
  return { role: "assistant", content, ts: 2, ...extra };
}

function said(text: string): object {
  return { type: "text", text };
}

function use(id: string, name = "read_file"): object {
  return { type: "tool_use", id, name, input: { path: "a" } };
}

function result(id: string, content: unknown, extra: object = {}): object {
  return { type: "tool_result", tool_use_id: id, content, ...extra };
}

describe.skipIf(!existsSync(RECORDINGS))("recorded Cline sessions", () => {
  it("part the prompt from the file that was attached to it", () => {
    const { messages } = recorded(WHOLE);
    expect(messages.slice(0, 3).map(({ role, kind }) => kind ?? role)).toEqual([
      "user",
      "injected",
      "assistant",
    ]);
    expect(messageText(messages[1]!)).toMatch(/^<file_content path="\/Users\/example\/[^"]+">\n/);
  });

  it("have the system prompt beside them, and in their usage the cache apart from the input", () => {
    const { instructions, messages, timeline } = recorded(WHOLE);
    expect(instructions).toMatch(/^You are Cline/);
    const replies = messages.filter(({ role }) => role === "assistant");
    expect(replies[1]?.usage).toEqual({
      input: 1580,
      output: 164,
      cacheRead: 34_332,
    });
    expect(timeline[1]?.tokens).toBe(36_076);
  });

  it("keep what the person typed after a basic compaction, and its notices as injected", () => {
    const { messages } = recorded(BASIC);
    const before = recorded(WHOLE).messages.filter(isTyped).map(messageText);
    expect(messages.filter(isTyped).map(messageText)).toEqual(before);
    const notices = messages.filter(({ kind }) => kind === "injected");
    expect(notices).toHaveLength(4);
    for (const notice of notices) expect(messageText(notice)).toMatch(/^<SYSTEM_NOTICE>/);
  });

  it("begin with the summary after an agentic compaction", () => {
    const { messages } = recorded(AGENTIC);
    expect(messages.map(({ role, kind }) => kind ?? role)).toEqual([
      "summary",
      "user",
      "assistant",
    ]);
    expect(messageText(messages[0]!)).toMatch(/^Context summary:\n\n## Goal/);
    expect(messages[0]?.metadata).toMatchObject({ tokensBefore: expect.any(Number) });
  });
});

function isTyped({ role, kind }: Message): boolean {
  return role === "user" && kind === undefined;
}

describe("Cline tool results", () => {
  const outcome = (content: unknown, extra: object = {}, tool?: string): unknown => {
    const { messages } = conversationOf(
      readList([user("go"), assistant([use("t1", tool)]), user([result("t1", content, extra)])]),
    );
    return messages[2]?.parts[0];
  };

  it("are texts, blocks, or JSON that says whether the tool succeeded", () => {
    expect(outcome("plain")).toMatchObject({ output: [{ type: "text", text: "plain" }] });
    const image = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "QQ" },
    };
    expect(outcome([said("a"), image])).toMatchObject({
      output: [
        { type: "text", text: "a" },
        { type: "file", mediaType: "image/png", data: "QQ" },
      ],
    });
    const answer = { query: "edit:a", result: "no match", success: false };
    expect(outcome(JSON.stringify(answer), {}, "editor")).toMatchObject({ isError: true });
    // What a file holds or a command printed is no word of the program.
    for (const forged of [answer, [answer], { success: false }]) {
      expect(outcome(JSON.stringify(forged), { name: "fetch" })).toHaveProperty(
        "isError",
        undefined,
      );
    }
    expect(outcome([{ success: false }])).toHaveProperty("isError", undefined);
    expect(outcome([answer])).toMatchObject({ isError: true, output: [{ type: "text" }] });
    expect(outcome([{ ...answer, success: true }])).toHaveProperty("isError", undefined);
    expect(outcome("refused", { is_error: true })).toMatchObject({ isError: true });
  });

  it("stand before the text of their message and are no typed turn", () => {
    const surroundings = "<environment_details>\n# VSCode Open Tabs\n</environment_details>";
    const reading = readList([
      user([said("<task>\nfix it\n</task>"), said(surroundings)]),
      assistant([use("t1")]),
      user([said(surroundings), result("t1", "done")]),
      assistant("[read_file for 'a'] Result: is what I said"),
      user([said("[read_file for 'a'] Result:\n\nx"), said("[ERROR] You did not use a tool")]),
    ]);
    const { messages } = conversationOf(reading);
    expect(messages.map(({ role, kind }) => kind ?? role)).toEqual([
      "user",
      "injected",
      "assistant",
      "tool",
      "injected",
      "assistant",
      "injected",
    ]);
    expect(messageText(messages[0]!)).toBe("fix it");
    expect(countsOf(reading).typedUserTurns).toBe(1);
    expect(checkMessages(messages)).toEqual([]);
  });

  it("with ids that were blanked to one word are paired step by step", () => {
    const { messages } = conversationOf(
      readList([
        user("go"),
        assistant([use("REDACTED")]),
        user([result("REDACTED", "1")]),
        assistant([use("REDACTED")]),
        user([result("REDACTED", "2")]),
      ]),
    );
    expect(checkMessages(messages)).toEqual([]);
  });
});

describe("Cline replies", () => {
  it("hold thinking with its signature, and blocks of other kinds as they are", () => {
    const search = { type: "server_tool_use", id: "s1", name: "web_search", input: {} };
    const { messages } = conversationOf(
      readList([
        user("go"),
        assistant([{ type: "thinking", thinking: "hm", signature: "sig" }, search, said("ok")]),
      ]),
    );
    expect(messages[1]?.parts).toMatchObject([
      { type: "reasoning", text: "hm", signature: "sig" },
      { type: "opaque", kind: "server_tool_use", source: { value: search } },
      { type: "text", text: "ok" },
    ]);
  });

  it("of newer extensions report tokens under `metrics.tokens`", () => {
    const metrics = { tokens: { prompt: 100, completion: 7, cached: 60 }, cost: 1 };
    const { timeline, messages } = conversationOf(
      readList([user("go"), assistant("ok", { metrics, modelInfo: { modelId: "m" } })]),
    );
    expect(messages[1]?.usage).toEqual({ input: 40, output: 7, cacheRead: 60 });
    expect(timeline).toEqual([{ time: 2, tokens: 107 }]);
  });
});

describe("Roo Code's tags", () => {
  it("hide what an existing summary or marker stands for, and nothing else", () => {
    const reading = readList([
      user("one", { condenseParent: "k1" }),
      assistant("1", { condenseParent: "k1" }),
      user("sum", { isSummary: true, condenseId: "k1" }),
      user("two", { truncationParent: "t1" }),
      user("cut here", { isTruncationMarker: true, truncationId: "t1" }),
      user("three", { condenseParent: "deleted" }),
    ]);
    expect(outline(conversationOf(reading).messages)).toEqual([
      "summary: sum",
      "injected: cut here",
      "user: three",
    ]);
    expect(countsOf(reading)).toMatchObject({ compactions: 2 });
  });

  it("of a nested condensing leave only the newest summary", () => {
    const { messages } = conversationOf(
      readList([
        user("one", { condenseParent: "k1" }),
        user("sum 1", { isSummary: true, condenseId: "k1", condenseParent: "k2" }),
        user("sum 2", { isSummary: true, condenseId: "k2" }),
        assistant("on"),
      ]),
    );
    expect(outline(messages)).toEqual(["summary: sum 2", "assistant: on"]);
  });

  it("on old summaries without an id keep the first message before them", () => {
    const { messages } = conversationOf(
      readList([
        user("<task>do</task>"),
        assistant("1"),
        assistant("sum", { isSummary: true }),
        user("on"),
      ]),
    );
    expect(outline(messages)).toEqual(["user: do", "summary: sum", "user: on"]);
  });

  it("leave no result whose call is hidden", () => {
    const { messages } = conversationOf(
      readList([
        user("sum", { isSummary: true, condenseId: "k1" }),
        assistant([use("t1")], { condenseParent: "k1" }),
        user([result("t1", "late"), said("go on")]),
      ]),
    );
    expect(outline(messages)).toEqual(["summary: sum", "user: go on"]);
  });

  it("give reasoning that stands alone to the reply after it", () => {
    const alone = { role: "assistant", type: "reasoning", summary: [said("because")], ts: 1 };
    const { messages } = conversationOf(
      readList([user("go"), alone, assistant("so", { reasoning_content: "hence" })]),
    );
    expect(outline(messages)).toEqual(["user: go", "assistant: reasoning+reasoning+so"]);
  });
});

describe("a Cline document", () => {
  const SAMPLE = [
    user([said("<task>do</task>"), { type: "file", path: "/a", content: "x" }]),
    assistant([{ type: "thinking", thinking: "t" }, use("t1")], { metrics: { inputTokens: 3 } }),
    user([result("t1", [{ query: "q", result: "r", success: true }])]),
    user([said("sum")], { metadata: { kind: "compaction_summary", details: {} } }),
  ];

  it("that was cut short loses its last message", () => {
    const session = { version: 1, sessionId: "s", messages: SAMPLE, system_prompt: "p" };
    expect(countsOf(cline.read(session, { isTorn: true }))).toMatchObject({
      messages: 4,
      compactions: 0,
    });
    expect(cline.read(session)).toMatchObject({ version: "1" });
  });

  it("is told from plain message lists by its times or its task", () => {
    expect(isCline(SAMPLE)).toBe(true);
    expect(isCline([{ role: "user", content: [said("<task>x</task>")] }])).toBe(true);
    for (const other of [null, {}, [], [{ role: "user", content: "hi" }], { messages: SAMPLE }]) {
      expect(isCline(other)).toEqual(expect.any(String));
    }
  });

  it("is read whatever is missing from it", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1, maxLength: 8 }), (removed) => {
        const reading = readList(withoutValues(SAMPLE, removed));
        const rules = checkMessages(conversationOf(reading).messages).map(({ rule }) => rule);
        expect(rules).not.toContain("duplicate-tool-call-id");
      }),
    );
  });
});

import { existsSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMessages, messageText, type Message } from "../../src/core/message/index.ts";
import { opencode } from "../../src/transcripts/opencode/opencode.ts";
import type { Conversation, Reading } from "../../src/transcripts/transcript.ts";
import { describeTranscript } from "../conformance/describe-transcript.ts";
import { recording, RECORDINGS } from "../recordings.ts";
import { withoutValues } from "./without-values.ts";
import { countsOf } from "./counts.ts";
import { isOpencode } from "../../src/transcripts/signs.ts";

const COMPACTED = "opencode/oc-1.4.3-auto-compaction.json";
const PRUNED = "opencode/oc-1.2.20-pruned-outputs.json.gz";

describeTranscript("opencode", [
  {
    file: COMPACTED,
    differs: {
      reason: "a summary stands for the messages before it",
      counts: { typedUserTurns: 1, toolCalls: 25, toolResults: 25, thinkingBlocks: 8 },
    },
  },
  { file: PRUNED },
]);

function conversationOf(reading: Reading): Conversation {
  return reading.conversations[0]!;
}

function readMessages(messages: readonly unknown[], info: object = {}): Conversation {
  return conversationOf(opencode.read({ info: { id: "ses_1", ...info }, messages }));
}

function user(id: string, ...parts: readonly object[]): object {
  return { info: { id, role: "user", time: { created: 1 } }, parts };
}

function assistant(id: string, parts: readonly object[], info: object = {}): object {
  return { info: { id, role: "assistant", modelID: "m", finish: "stop", ...info }, parts };
}

function said(text: string, extra: object = {}): object {
  return { type: "text", text, ...extra };
}

function tool(callID: string, state: object): object {
  return { type: "tool", tool: "bash", callID, state: { input: { command: "ls" }, ...state } };
}

function outline(messages: readonly Message[]): string[] {
  return messages.map(({ role, kind, parts }) => {
    const text = parts.map((part) => (part.type === "text" ? part.text : part.type)).join("+");
    return `${kind ?? role}: ${text}`;
  });
}

const MARKER = { type: "compaction", auto: true };
const SUMMARY = { summary: true, mode: "compaction" };

describe.skipIf(!existsSync(RECORDINGS))("recorded opencode sessions", () => {
  it("begin after a compaction with its summary, go on with the continuation, then the work", () => {
    const { messages } = conversationOf(opencode.read(JSON.parse(recording(COMPACTED).toString())));
    expect(messages.slice(0, 4).map(({ role, kind }) => kind ?? role)).toEqual([
      "summary",
      "continuation",
      "assistant",
      "tool",
    ]);
    expect(messageText(messages[0]!)).toHaveLength(4494);
    expect(messages[1]?.metadata).toEqual({ compaction_continue: true });
    expect(checkMessages(messages)).toEqual([]);
  });

  it("fill the window up to the request for the summary, and less after it", () => {
    const { timeline } = conversationOf(opencode.read(JSON.parse(recording(COMPACTED).toString())));
    const tokens = timeline.map((sample) => sample.tokens);
    const fullest = tokens.indexOf(Math.max(...tokens));
    expect(tokens).toHaveLength(69);
    expect(tokens.slice(fullest, fullest + 3)).toEqual([112_579, 99_913, 16_514]);
  });

  it("send pruned outputs as the placeholder, with the time of their pruning", () => {
    const { messages } = conversationOf(opencode.read(JSON.parse(recording(PRUNED).toString())));
    const results = messages
      .flatMap(({ parts }) => parts)
      .filter((part) => part.type === "tool-result");
    const pruned = results.filter((part) => part.time !== undefined);
    expect(pruned).toHaveLength(116);
    expect(new Set(pruned.map((part) => part.time?.compacted)).size).toBe(29);
    for (const part of pruned) {
      expect(part.output).toEqual([{ type: "text", text: "[Old tool result content cleared]" }]);
    }
  });

  it("have unique call ids where the publisher blanked 72 of them to one word", () => {
    const { messages } = conversationOf(opencode.read(JSON.parse(recording(PRUNED).toString())));
    const ids = messages
      .flatMap(({ parts }) => parts)
      .flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
    expect(ids.filter((id) => id.startsWith("REDACTED"))).toHaveLength(72);
    expect(new Set(ids).size).toBe(229);
  });
});

describe("opencode compactions", () => {
  it("keep the tail from its first message up to the marker", () => {
    const { messages } = readMessages([
      user("u1", said("old")),
      assistant("a1", [said("old answer")]),
      user("u2", said("kept")),
      assistant("a2", [said("kept answer")]),
      user("c", { ...MARKER, tail_start_id: "u2" }),
      assistant("s", [said("## Goal")], SUMMARY),
      user("u3", said("new")),
    ]);
    expect(outline(messages)).toEqual([
      "summary: ## Goal",
      "user: kept",
      "assistant: kept answer",
      "user: new",
    ]);
  });

  it("leave earlier summaries out and do not take a new prompt for a continuation", () => {
    const { messages } = readMessages([
      user("u1", said("old")),
      user("c1", MARKER),
      assistant("s1", [said("first")], SUMMARY),
      user("u2", said("more")),
      user("c2", { ...MARKER, tail_start_id: "u1" }),
      assistant("s2", [said("second")], SUMMARY),
      user("u3", said("typed")),
    ]);
    expect(outline(messages)).toEqual([
      "summary: second",
      "user: old",
      "user: more",
      "user: typed",
    ]);
  });

  it("count only when the summary was finished without an error", () => {
    const unfinished = assistant("s", [said("## Go")], { ...SUMMARY, finish: undefined });
    const failed = assistant("s", [said("## Go")], { ...SUMMARY, error: { name: "APIError" } });
    for (const summary of [unfinished, failed]) {
      const document = {
        info: { id: "ses" },
        messages: [user("u", said("hi")), user("c", MARKER), summary],
      };
      const reading = opencode.read(document);
      expect(outline(conversationOf(reading).messages)).toEqual(["user: hi"]);
      expect(countsOf(reading)).toMatchObject({ compactions: 0 });
    }
  });

  it("warn when the id of the tail is not that of one message", () => {
    const reading = opencode.read({
      info: { id: "ses" },
      messages: [
        user("REDACTED", said("one")),
        user("REDACTED", said("two")),
        user("c", { ...MARKER, tail_start_id: "REDACTED" }),
        assistant("s", [said("sum")], SUMMARY),
      ],
    });
    expect(outline(conversationOf(reading).messages)).toEqual(["summary: sum"]);
    expect(reading.warnings).toHaveLength(1);
  });
});

describe("opencode user messages", () => {
  it("part what the person gave from what opencode added, and skip what is ignored", () => {
    const { messages } = readMessages([
      user(
        "u",
        said("look at @a.ts"),
        said("Called the Read tool", { synthetic: true }),
        said("not sent", { ignored: true }),
        { type: "file", mime: "text/plain", url: "file:///a.ts", filename: "a.ts" },
      ),
    ]);
    expect(outline(messages)).toEqual(["user: look at @a.ts", "injected: Called the Read tool"]);
  });

  it("carry images inline or by address", () => {
    const { messages } = readMessages([
      user(
        "u",
        said("see"),
        { type: "file", mime: "image/png", url: "data:image/png;base64,QUJD", filename: "a.png" },
        { type: "file", mime: "application/pdf", url: "https://example.org/a.pdf" },
      ),
    ]);
    expect(messages[0]?.parts.slice(1)).toMatchObject([
      { type: "file", mediaType: "image/png", filename: "a.png", data: "QUJD" },
      { type: "file", mediaType: "application/pdf", url: "https://example.org/a.pdf" },
    ]);
  });

  it("are no typed turn when they only start a subtask", () => {
    const part = { type: "subtask", prompt: "long", description: "review changes", command: "rev" };
    const { messages } = readMessages([user("u", part)]);
    expect(outline(messages)).toEqual(["injected: The user ran the command /rev: review changes"]);
  });

  it("that were taken back are not sent", () => {
    const { messages } = readMessages([user("u1", said("one")), user("u2", said("two"))], {
      revert: { messageID: "u2" },
    });
    expect(outline(messages)).toEqual(["user: one"]);
  });
});

describe("opencode tools", () => {
  const outcome = (state: object): unknown => {
    const { messages } = readMessages([assistant("a", [tool("c1", state)])]);
    return messages[1]?.parts[0];
  };

  it("have no result while they are pending or running", () => {
    expect(outcome({ status: "pending", raw: "" })).toBeUndefined();
    expect(outcome({ status: "running" })).toBeUndefined();
  });

  it("name the file in which the whole of a truncated output is", () => {
    const metadata = { truncated: true, outputPath: "/tool-output/tool_1" };
    expect(outcome({ status: "completed", output: "tail", metadata })).toMatchObject({
      output: [{ type: "text", text: "tail" }],
      original: "/tool-output/tool_1",
    });
  });

  it("fail with their error, but keep what an interrupted one had printed", () => {
    expect(outcome({ status: "error", error: "no such file" })).toMatchObject({
      output: [{ type: "text", text: "no such file" }],
      isError: true,
    });
    const metadata = { interrupted: true, output: "half" };
    const interrupted = outcome({ status: "error", error: "aborted", metadata });
    expect(interrupted).toMatchObject({ output: [{ type: "text", text: "half" }] });
    expect(interrupted).not.toHaveProperty("isError");
  });

  it("drop the attachments of a pruned output and keep those of others", () => {
    const attachments = [{ type: "file", mime: "image/png", url: "data:image/png;base64,QUJD" }];
    const whole = { status: "completed", output: "shot", attachments };
    expect(outcome(whole)).toMatchObject({ output: [{ type: "text" }, { type: "file" }] });
    expect(outcome({ ...whole, time: { compacted: 5 } })).toMatchObject({
      output: [{ type: "text", text: "[Old tool result content cleared]" }],
      time: { compacted: 5 },
    });
  });
});

describe("opencode replies", () => {
  it("that failed are left out, except an aborted one that had said something", () => {
    const aborted = { error: { name: "MessageAbortedError" }, finish: undefined };
    const thought = { type: "reasoning", text: "hm" };
    const { messages } = readMessages([
      assistant("a1", [said("half")], { error: { name: "APIError" } }),
      assistant("a2", [thought], aborted),
      assistant("a3", [thought, said("half")], aborted),
    ]);
    expect(outline(messages)).toEqual(["assistant: reasoning+half"]);
  });

  it("with several steps keep each call before its result", () => {
    const done = { status: "completed", output: "ok" };
    const step = { type: "step-start" };
    const { messages } = readMessages([
      assistant("a", [step, tool("c1", done), step, said("then"), tool("c2", done)]),
    ]);
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant", "tool"]);
    expect(checkMessages(messages)).toEqual([]);
  });

  it("report the cache apart from the input, and count reasoning once", () => {
    const tokens = (total?: number): object => ({
      tokens: { input: 10, output: 5, reasoning: 3, cache: { read: 100, write: 7 }, total },
    });
    const { messages, timeline } = readMessages([
      assistant("a1", [said("x")], tokens()),
      assistant("a2", [said("y")], tokens(125)),
    ]);
    expect(messages.map(({ usage }) => usage?.output)).toEqual([5, 8]);
    expect(messages[0]?.usage).toMatchObject({ input: 10, cacheRead: 100, cacheWrite: 7 });
    expect(timeline.map((sample) => sample.tokens)).toEqual([122, 125]);
  });
});

describe("an opencode document", () => {
  const SAMPLE = {
    info: { id: "ses", title: "t", version: "1.0.0", directory: "/w", time: { created: 1 } },
    messages: [
      user("u1", said("one"), { type: "file", mime: "image/png", url: "data:;base64,QQ==" }),
      assistant("a1", [{ type: "reasoning", text: "r" }, tool("c1", { status: "completed" })]),
      user("c", { ...MARKER, tail_start_id: "u1" }),
      assistant("s", [said("sum")], { ...SUMMARY, tokens: { input: 1, cache: { read: 2 } } }),
      user("u2", said("go on", { synthetic: true })),
    ],
  };

  it("that was cut short loses its last message", () => {
    const { messages } = conversationOf(opencode.read(SAMPLE, { isTorn: true }));
    expect(outline(messages).at(-1)).not.toContain("go on");
    expect(countsOf(opencode.read(SAMPLE, { isTorn: true })).messages).toBe(4);
  });

  it("of another program is refused with a reason", () => {
    for (const document of [null, [], {}, { info: { id: "x" }, messages: [{ role: "user" }] }]) {
      expect(isOpencode(document)).toEqual(expect.any(String));
    }
  });

  it("is read whatever is missing from it", () => {
    const positions = fc.array(fc.nat(1000), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(positions, (removed) => {
        const { conversations } = opencode.read(withoutValues(SAMPLE, removed));
        expect(checkMessages(conversations[0]!.messages).map(({ rule }) => rule)).not.toContain(
          "unpaired-tool-result",
        );
      }),
    );
  });
});

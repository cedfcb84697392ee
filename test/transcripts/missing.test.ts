import { describe, expect, it } from "vitest";
import { readTranscript } from "../../src/transcripts/index.ts";

const lines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

const claude = (uuid: string, parentUuid: string | null, more: object): object => ({
  uuid,
  parentUuid,
  sessionId: "s",
  timestamp: "2026-01-01T00:00:00Z",
  ...more,
});
const asked = (uuid: string, parent: string | null, text: string, more: object = {}): object =>
  claude(uuid, parent, { type: "user", message: { role: "user", content: text }, ...more });
const said = (uuid: string, parent: string): object =>
  claude(uuid, parent, {
    type: "assistant",
    message: { id: uuid, role: "assistant", content: [{ type: "text", text: "Yes." }] },
  });
const boundary = claude("b", null, { type: "system", subtype: "compact_boundary" });

const pi = (id: string, parentId: string | null, text: string): object => ({
  type: "message",
  id,
  parentId,
  message: { role: "user", content: text },
});
const PI = { type: "session", id: "s", cwd: "/w", version: 3 };

const opencode = (id: string, info: object, parts: readonly object[]): object => ({
  info: { id, time: { created: 1 }, ...info },
  parts,
});
const exported = (...messages: readonly object[]): string =>
  JSON.stringify({ info: { id: "ses" }, messages });
const text = (content: string): object => ({ type: "text", text: content });

const rollout = (type: string, payload: object): object => ({ timestamp: "", type, payload });
const prompt = (content: string): object =>
  rollout("response_item", {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: content }],
  });

const PARENT = /goes on from one that is not in this file/;
const SUMMARY = /summary of the last compaction is not in this file/;
const SEALED = /can be read by its provider alone/;

describe("a part of a session that is not in its file", () => {
  it.each<[string, string, readonly RegExp[]]>([
    [
      "Claude Code: what stood before the first lines",
      lines([asked("1", "gone", "Go on."), said("2", "1"), asked("3", "also gone", "And?")]),
      [PARENT],
    ],
    ["Claude Code: nothing", lines([asked("1", null, "Go on."), said("2", "1")]), []],
    [
      "Claude Code: the summary",
      lines([asked("1", null, "Go on."), boundary, asked("2", "b", "And?")]),
      [SUMMARY],
    ],
    [
      "Claude Code: nothing after a compaction",
      lines([
        asked("1", null, "Go on."),
        boundary,
        asked("2", "b", "They went on.", { isCompactSummary: true }),
        said("3", "2"),
      ]),
      [],
    ],
    ["pi: parents", lines([PI, pi("1", "gone", "Go."), pi("2", "away", "On.")]), [PARENT]],
    ["pi: nothing", lines([PI, pi("1", null, "Go."), pi("2", "1", "On.")]), []],
    [
      "pi: the summary",
      lines([
        PI,
        pi("1", null, "Go."),
        { type: "compaction", id: "c", parentId: "1", firstKeptEntryId: "1" },
        pi("2", "c", "On."),
      ]),
      [SUMMARY],
    ],
    [
      "opencode: the message before the first",
      exported(
        opencode("m2", { role: "assistant", parentID: "m1" }, [text("Yes.")]),
        opencode("m3", { role: "assistant", parentID: "m1" }, [text("Done.")]),
      ),
      [PARENT],
    ],
    [
      "opencode: the words of the summary",
      exported(
        opencode("m1", { role: "user" }, [text("Go.")]),
        opencode("m2", { role: "user" }, [{ type: "compaction", auto: true }]),
        opencode("m3", { role: "assistant", parentID: "m2", summary: true, finish: "stop" }, []),
      ),
      [SUMMARY],
    ],
    [
      "Codex: the summary",
      lines([prompt("Go."), rollout("compacted", { message: "" }), prompt("On.")]),
      [SUMMARY],
    ],
    [
      "Codex: a summary that is sealed",
      lines([
        prompt("Go."),
        ...[1, 2].map(() =>
          rollout("compacted", {
            message: "",
            replacement_history: [{ type: "compaction", encrypted_content: "gAAA" }],
          }),
        ),
      ]),
      [SEALED],
    ],
    [
      "Codex: nothing",
      lines([prompt("Go."), rollout("compacted", { message: "They went." }), prompt("On.")]),
      [],
    ],
  ])("is told once: %s", async (_, content, expected) => {
    const { warnings, conversations } = await readTranscript(Buffer.from(content));
    expect(warnings.map(({ message }) => message)).toEqual(
      expected.map((pattern): unknown => expect.stringMatching(pattern)),
    );
    expect(conversations[0]?.messages.length).toBeGreaterThan(0);
  });
});

describe("what opencode adds to a message", () => {
  it("stands where it was sent, and the prompt stays one", async () => {
    const reminder = { ...text("<system-reminder>Plan only.</system-reminder>"), synthetic: true };
    const note = { ...text("Called the Read tool."), synthetic: true };
    const parts = [reminder, text("Look at"), text("a.ts."), note];
    const content = exported(opencode("m1", { role: "user" }, parts));
    const { conversations } = await readTranscript(Buffer.from(content));
    expect(conversations[0]?.messages.map(({ kind, parts: own }) => [kind, own.length])).toEqual([
      ["injected", 1],
      [undefined, 2],
      ["injected", 1],
    ]);
  });
});

import path from "node:path";
import { describe, expect, it } from "vitest";
import { messageText } from "../../src/core/message/index.ts";
import { readTranscript } from "../../src/transcripts/read.ts";
import { readWindows } from "../../src/transcripts/windows.ts";
import { RECORDED_FILES, RECORDINGS } from "../recordings.ts";

function lines(...records: readonly object[]): Uint8Array {
  return new TextEncoder().encode(records.map((one) => JSON.stringify(one)).join("\n"));
}

const MESSAGE = (text: string, role = "user") => ({
  type: "response_item",
  payload: { type: "message", role, content: [{ type: "input_text", text }] },
});
const META = { type: "session_meta", payload: { id: "one", cwd: "/p", cli_version: "0.142.2" } };

function documentOf(entries: readonly object[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(entries, null, 1));
}

const SNAPSHOT = "<state_snapshot>What was.</state_snapshot>";
const gemini = (type: string, text: string) => ({ id: text, type, content: [{ text }] });
const qwen = (at: number, more: object) => ({
  uuid: `u${at}`,
  parentUuid: at === 0 ? null : `u${at - 1}`,
  sessionId: "s1",
  cwd: "/p",
  version: "0.24.4",
  timestamp: new Date(Date.UTC(2026, 9, 1, 12, at)).toISOString(),
  ...more,
});
const turn = (role: string, text: string) => ({ role, parts: [{ text }] });
const hands = (id: number, more: object) => ({ id, timestamp: "2025-04-30T16:00:00.01", ...more });
const said = (source: string, content: string) => ({
  source,
  action: "message",
  args: { content },
});
const roo = (role: string, text: string, more: object = {}) => ({
  role,
  content: [{ type: "text", text }],
  ts: 1,
  ...more,
});

/** Sessions of agents that say in their files what they edited away. */
const MADE: readonly (readonly [format: string, file: Uint8Array])[] = [
  [
    "gemini-cli",
    lines(
      { sessionId: "s1", projectHash: "h", startTime: "2026-01-01T00:00:00.000Z" },
      gemini("user", "one"),
      gemini("gemini", "two"),
      { $set: { messages: [gemini("user", SNAPSHOT), gemini("gemini", "Got it")] } },
      gemini("user", "three"),
    ),
  ],
  [
    "qwen-code",
    lines(
      qwen(0, { type: "user", provenance: "real_user", message: turn("user", "one") }),
      qwen(1, { type: "assistant", model: "qwen3", message: turn("model", "two") }),
      qwen(2, {
        type: "system",
        subtype: "chat_compression",
        systemPayload: { compressedHistory: [turn("user", SNAPSHOT), turn("model", "Got it")] },
      }),
      qwen(3, { type: "user", provenance: "real_user", message: turn("user", "three") }),
    ),
  ],
  [
    "openhands",
    documentOf([
      hands(0, said("user", "one")),
      hands(1, said("agent", "two")),
      hands(2, {
        source: "agent",
        action: "condensation",
        args: { forgotten_event_ids: [1], summary: "What was.", summary_offset: 1 },
      }),
      hands(3, said("user", "three")),
    ]),
  ],
  [
    "cline",
    documentOf([
      roo("user", "one", { condenseParent: "k" }),
      roo("assistant", "two", { condenseParent: "k" }),
      roo("user", "What was.", { isSummary: true, condenseId: "k" }),
      roo("user", "three"),
    ]),
  ],
];

describe("readWindows", () => {
  it.each(MADE)("tells what stood in a session of %s before its edit", async (format, file) => {
    const now = await readTranscript(file);
    expect(now.format).toBe(format);
    expect(JSON.stringify(now.conversations[0]?.messages)).not.toContain('"two"');
    const windows = await readWindows(file, { format });
    expect(windows.map((window) => window.map(messageText))).toEqual([["one", "two"]]);
  });

  it("tells what stood there before each compaction", async () => {
    const replacement = [MESSAGE("Fix it.").payload];
    const file = lines(
      META,
      MESSAGE("Fix it."),
      MESSAGE("And the tests."),
      { type: "compacted", payload: { message: "", replacement_history: replacement } },
      MESSAGE("Go on."),
    );
    const windows = await readWindows(file, { format: "codex" });
    expect(windows.map((window) => window.length)).toEqual([2]);
  });

  it("has none for a session that was never edited, nor for a list of messages", async () => {
    expect(await readWindows(lines(META, MESSAGE("Hello.")), { format: "codex" })).toEqual([]);
    const plain = new TextEncoder().encode(JSON.stringify([{ role: "user", content: "Hello." }]));
    expect(await readWindows(plain, { format: "openai-chat" })).toEqual([]);
    const chat = { sessionId: "s1", projectHash: "h", messages: [gemini("user", "one")] };
    const document = new TextEncoder().encode(JSON.stringify(chat, null, 1));
    expect(await readWindows(document, { format: "gemini-cli" })).toEqual([]);
  });

  it.runIf(RECORDED_FILES.length > 0).each([
    ["claude-code/cc-2.1.17-microcompact-and-compact.jsonl.gz", [114, 252]],
    ["codex/cx-0.142.2-remote-compaction.jsonl", [111, 138]],
    ["pi/pi-v1-two-compactions.jsonl.gz", [352, 328]],
    ["opencode/oc-1.4.3-auto-compaction.json", [86]],
    ["opencode/oc-1.2.20-pruned-outputs.json.gz", [78, 98, 234]],
  ])("reads %s", async (file, lengths) => {
    const full = path.join(RECORDINGS, file);
    const { format } = await readTranscript(full);
    const windows = await readWindows(full, { format });
    expect(windows.map((window) => window.length)).toEqual(lengths);
  });
});

import path from "node:path";
import { describe, expect, it } from "vitest";
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

describe("readWindows", () => {
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

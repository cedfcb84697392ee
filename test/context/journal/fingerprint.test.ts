import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/archive/digest.ts";
import { fingerprint, isSameMessage } from "../../../src/context/journal/fingerprint.ts";
import type { Message, ToolResultPart } from "../../../src/core/message/index.ts";

const result: ToolResultPart = {
  type: "tool-result",
  toolCallId: "1",
  toolName: "read",
  output: [{ type: "text", text: "[pruned]" }],
};

function tool(part: ToolResultPart, more: Partial<Message> = {}): Message {
  return { role: "tool", parts: [part], ...more };
}

describe("what a message says", () => {
  const one = tool({ ...result, original: "out_1", time: { compacted: 1 } });

  it("does not depend on the order of fields, times, origin and usage", () => {
    const source = { dialect: "test", value: {}, parts: [] };
    const other = tool(
      { time: { compacted: 2 }, source, original: "out_1", ...result },
      {
        id: "m1",
        source,
        usage: { input: 1, output: 1 },
      },
    );
    expect(isSameMessage(one, other)).toBe(true);
    expect(fingerprint(other, sha256Hex)).toBe(fingerprint(one, sha256Hex));
  });

  it.each([
    tool({ ...result, original: "out_2" }),
    tool({ ...result, original: "out_1", isError: true }),
    tool({ ...result, original: "out_1", output: [{ type: "text", text: "other" }] }),
    { ...one, role: "user" as const },
    { ...one, parts: [...one.parts, ...one.parts] },
    undefined,
  ])("is not the same in %j", (other) => {
    expect(isSameMessage(one, other)).toBe(false);
    if (other !== undefined) {
      expect(fingerprint(other, sha256Hex)).not.toBe(fingerprint(one, sha256Hex));
    }
  });
});

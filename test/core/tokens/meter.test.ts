import { describe, expect, it, vi } from "vitest";
import type { Message } from "../../../src/core/message/index.ts";
import { createMessageMeter, MESSAGE_OVERHEAD } from "../../../src/core/tokens/index.ts";

function user(text: string): Message {
  return { role: "user", parts: [{ type: "text", text }] };
}

describe("createMessageMeter", () => {
  it("counts each message object once", () => {
    const count = vi.fn<(text: string) => number>((text) => text.length);
    const meter = createMessageMeter({ name: "spy", count });
    const history = [user("one"), user("three"), user("")];
    expect(meter.total(history)).toBe(3 * MESSAGE_OVERHEAD + 8);
    expect(meter.total([...history, user("new")])).toBe(4 * MESSAGE_OVERHEAD + 11);
    expect(meter.tokens(history[1]!)).toBe(MESSAGE_OVERHEAD + 5);
    meter.totalSize(history);
    expect(count).toHaveBeenCalledTimes(4);
  });

  it("keeps no memory between meters", () => {
    const count = vi.fn<(text: string) => number>(() => 1);
    const message = user("x");
    createMessageMeter({ name: "spy", count }).tokens(message);
    createMessageMeter({ name: "spy", count }).tokens(message);
    expect(count).toHaveBeenCalledTimes(2);
  });

  it("knows bytes as JSON writes them, and images wherever they are", () => {
    const meter = createMessageMeter({ name: "none", count: () => 0 });
    const bytesOf = (text: string): number =>
      meter.size(user(text)).bytes - meter.size(user("")).bytes;
    for (const text of ["plain", 'a "b" \\ \n\t', "é哈😀", "\u0000\u001b[0m", "x".repeat(1_000)]) {
      expect(bytesOf(text)).toBe(Buffer.byteLength(JSON.stringify(text)) - 2);
    }
    const image = { type: "file", mediaType: "image/png", data: "A".repeat(4_000) } as const;
    const message: Message = {
      role: "tool",
      parts: [image, { type: "tool-result", toolCallId: "1", toolName: "shot", output: [image] }],
    };
    const size = meter.totalSize([message, user("x")]);
    expect(size.images).toBe(2);
    expect(size.bytes).toBeGreaterThan(8_000);
    expect(meter.size(message).tokens).toBe(MESSAGE_OVERHEAD + 8 + 3_000);
  });
});

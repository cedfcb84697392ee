import { describe, expect, it } from "vitest";
import { createMessageLines, linesOf, type Message } from "../../../src/core/message/index.ts";
import { call, calling, user } from "../../build-messages.ts";

const many = Array.from({ length: 700 }, (_, index) => user(`message ${index}\nof many`));
const plainly = (messages: readonly Message[]): string =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join("");

describe("message lines", () => {
  it("are one JSON message a line, for any stretch and however many came after it", () => {
    const lines = createMessageLines();
    for (const message of many) lines.add(message);
    for (const [from, to] of [
      [0, 0],
      [0, 700],
      [0, 256],
      [1, 600],
      [255, 257],
      [256, 512],
      [300, 310],
      [3, 700],
    ] as const) {
      expect(lines.text(from, to)).toBe(plainly(many.slice(from, to)));
    }
    expect(linesOf(many)).toBe(plainly(many));
  });

  it("say nothing of where a message came from", () => {
    const parts = [{ type: "text" as const, text: "hi", source: { dialect: "x", value: 1 } }];
    const message: Message = { role: "user", parts, source: { dialect: "x", value: 2, parts } };
    expect(linesOf([message])).toBe('{"role":"user","parts":[{"type":"text","text":"hi"}]}\n');
  });

  it("fail only for those who ask for a message that is no JSON", () => {
    const lines = createMessageLines();
    for (const message of many.slice(0, 300)) lines.add(message);
    lines.add(calling(call("a", "count", { most: 1n })));
    for (const message of many.slice(300)) lines.add(message);
    expect(lines.text(0, 300)).toBe(plainly(many.slice(0, 300)));
    expect(() => lines.text(0, 700)).toThrow("bigint");
  });
});

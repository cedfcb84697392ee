import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeUtf8, textOf } from "../../../src/core/text/utf8.ts";
import {
  createMessageLines,
  linesOf,
  type Message,
  originalOfLines,
} from "../../../src/core/message/index.ts";
import { beginDigest, sha256Hex } from "../../../src/archive/digest.ts";
import { neutral, type NeutralMessage } from "../../../src/dialects/neutral/neutral.ts";
import { call, calling, result, results, user } from "../../build-messages.ts";

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
      expect(lines.pieces(from, to).join("")).toBe(plainly(many.slice(from, to)));
    }
    expect(linesOf(many).join("")).toBe(plainly(many));
  });

  it("have the digest of any stretch, also behind some that do not count", () => {
    for (const first of [0, 3, 40]) {
      const lines = createMessageLines({ first, begin: beginDigest });
      for (const message of many) lines.add(message);
      for (const [from, to] of [
        [first, 700],
        [first, 690],
        [first, first + 32],
        [first, first + 1],
        [first, first],
        [0, 500],
        [60, 650],
      ] as const) {
        const { pieces, running } = lines.stretch(from, to);
        const text = plainly(many.slice(from, to));
        expect(pieces.map(textOf).join("")).toBe(text);
        expect(running?.hex()).toBe(sha256Hex(text));
      }
    }
  });

  it("say nothing of where a message came from", () => {
    const parts = [{ type: "text" as const, text: "hi", source: { dialect: "x", value: 1 } }];
    const message: Message = { role: "user", parts, source: { dialect: "x", value: 2, parts } };
    expect(linesOf([message]).join("")).toBe(
      '{"role":"user","parts":[{"type":"text","text":"hi"}]}\n',
    );
  });

  it("can be read back, also a block of an output that no dialect knows", () => {
    const value = { type: "web_search", query: "a page" };
    const block = { type: "opaque", kind: "web_search", source: { dialect: "x", value } } as const;
    const image = { type: "file", mediaType: "image/png", data: "AAAA" } as const;
    const output = [{ type: "text" as const, text: "found" }, block, image];
    const read = { ...result("a", "search", ""), output };
    const list = [calling(call("a", "search")), results(read)];
    const lines = linesOf(list).join("").trimEnd().split("\n");
    expect(neutral.decode(lines.map((line) => JSON.parse(line) as NeutralMessage))).toEqual(list);
  });

  it("fail only for those who ask for a message that is no JSON", () => {
    const lines = createMessageLines();
    for (const message of many.slice(0, 300)) lines.add(message);
    lines.add(calling(call("a", "count", { most: 1n })));
    for (const message of many.slice(300)) lines.add(message);
    expect(lines.pieces(0, 300).join("")).toBe(plainly(many.slice(0, 300)));
    expect(() => lines.pieces(0, 700)).toThrow("bigint");
  });
});

describe("the original of lines", () => {
  it("may be more than a string can hold, where its digest runs", () => {
    const pieces = Array.from({ length: 9 }, () => "x".repeat(60_000_000));
    const running = beginDigest!();
    running.add("what was written");
    const original = originalOfLines(pieces, sha256Hex, running);
    expect(original.pieces).toBe(pieces);
    expect(original.handle).toBe(`head_${sha256Hex("what was written").slice(0, 16)}`);
    expect(() => original.content).toThrow(expect.objectContaining({ code: "limit-exceeded" }));
    expect(() => originalOfLines(pieces, sha256Hex)).toThrow(
      expect.objectContaining({ code: "limit-exceeded" }),
    );
  });

  it("is the same in texts, in bytes and as a whole", () => {
    const texts = fc.array(fc.string({ unit: "grapheme" }));
    fc.assert(
      fc.property(texts, (all) => {
        const whole = originalOfLines([all.join("")], sha256Hex);
        const pieces = all.map((text, at) => (at % 2 === 0 ? encodeUtf8(text) : text));
        const { content, handle } = originalOfLines(pieces, sha256Hex);
        expect([content, handle]).toEqual([all.join(""), whole.handle]);
      }),
    );
  });
});

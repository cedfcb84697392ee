import { describe, expect, it } from "vitest";
import type { FilePart, Message, Part } from "../../../src/core/message/index.ts";
import { estimateTokens } from "../../../src/core/tokens/estimate-tokens.ts";
import { estimator } from "../../../src/core/tokens/estimator.ts";
import {
  fileTokens,
  imageSize,
  MESSAGE_OVERHEAD,
  messageTokens,
  type TokenCounter,
  TOOL_OVERHEAD,
  valueTokens,
} from "../../../src/core/tokens/index.ts";

/** One token for each unit, so that sums can be read off. */
const units: TokenCounter = { name: "units", count: (text) => text.length };

function tokensOf(...parts: Part[]): number {
  return messageTokens({ role: "assistant", parts }, units) - MESSAGE_OVERHEAD;
}

function base64(...bytes: number[]): string {
  return Buffer.from(bytes).toString("base64");
}

function image(data: string): FilePart {
  return { type: "file", mediaType: "image/png", data };
}

const pngHead = [
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
];

function png(width: number, height: number): string {
  const size = [width, height].flatMap((n) => [
    n >>> 24,
    (n >>> 16) & 255,
    (n >>> 8) & 255,
    n & 255,
  ]);
  return base64(...pngHead, ...size, 8, 6, 0, 0, 0);
}

describe("messageTokens", () => {
  it("counts text and the message's framing", () => {
    const message: Message = { role: "user", parts: [{ type: "text", text: "hello" }] };
    expect(messageTokens(message, units)).toBe(MESSAGE_OVERHEAD + 5);
    expect(messageTokens(message, estimator)).toBe(MESSAGE_OVERHEAD + estimateTokens("hello"));
  });

  it("counts a tool call's name and JSON input, and a string input as it is", () => {
    const call = { type: "tool-call", toolCallId: "1", toolName: "read" } as const;
    expect(tokensOf({ ...call, input: { a: 1 } })).toBe(TOOL_OVERHEAD + 4 + 7);
    expect(tokensOf({ ...call, input: "ls -l" })).toBe(TOOL_OVERHEAD + 4 + 5);
    expect(tokensOf({ ...call, input: undefined })).toBe(TOOL_OVERHEAD + 4);
  });

  it("counts all pieces of a tool result", () => {
    const output = [
      { type: "text", text: "one" },
      { type: "text", text: "two!" },
      image(png(750, 10)),
    ] as const;
    const result = { type: "tool-result", toolCallId: "1", toolName: "read", output } as const;
    expect(tokensOf(result)).toBe(TOOL_OVERHEAD + 3 + 4 + 10);
  });

  it("counts sealed reasoning by its signature, shown reasoning by its text", () => {
    expect(tokensOf({ type: "reasoning", text: "x".repeat(50), signature: "s".repeat(100) })).toBe(
      50,
    );
    expect(tokensOf({ type: "reasoning", text: "", signature: "s".repeat(100) })).toBe(20);
  });

  it("believes an opaque part that knows its tokens, else counts its JSON without blobs", () => {
    const opaque = (value: unknown, tokens?: number): Part => ({
      type: "opaque",
      kind: "x",
      source: { dialect: "d", value },
      ...(tokens === undefined ? {} : { tokens }),
    });
    expect(tokensOf(opaque({ a: 1 }, 99))).toBe(99);
    expect(tokensOf(opaque({ a: 1 }))).toBe(7);
    expect(tokensOf(opaque({ data: "QUJD".repeat(50_000) }))).toBeLessThan(1_100);
    expect(tokensOf(opaque({ text: "two words ".repeat(1_000) }))).toBeGreaterThan(10_000);
  });

  it("never throws on an input that JSON refuses", () => {
    const cyclic: Record<string, unknown> = { name: "loop", big: 10n };
    cyclic["self"] = cyclic;
    let deep: unknown = "bottom";
    for (let i = 0; i < 100_000; i++) deep = i % 2 === 0 ? [deep] : { deep };
    for (const input of [
      cyclic,
      deep,
      10n,
      () => 1,
      Symbol("s"),
      { f: () => 1, s: Symbol("s"), big: 1n },
    ]) {
      const tokens = tokensOf({ type: "tool-call", toolCallId: "1", toolName: "t", input });
      expect(tokens).toBeGreaterThanOrEqual(TOOL_OVERHEAD + 1);
    }
    expect(valueTokens(deep, units)).toBeGreaterThan(100_000);
    expect(valueTokens(undefined, units)).toBe(0);
  });
});

describe("fileTokens", () => {
  it("costs an image by its pixels, never by its base64", () => {
    expect(fileTokens(image(png(300, 250)))).toBe(100);
    expect(fileTokens(image(png(8_000, 8_000)))).toBe(1_600);
    expect(fileTokens(image(png(16_000, 100)))).toBe(21);
    expect(fileTokens(image("A".repeat(1_000_000)))).toBe(1_500);
    expect(fileTokens({ type: "file", mediaType: "image/png", url: "file:///a.png" })).toBe(1_500);
  });

  it("costs other files by kind and size", () => {
    const file = (mediaType: string, bytes: number): number =>
      fileTokens({ type: "file", mediaType, data: "A".repeat(Math.ceil((bytes * 4) / 3)) });
    expect(fileTokens({ type: "file", mediaType: "application/pdf" })).toBe(2_000);
    expect(file("application/pdf", 250_000)).toBe(6_000);
    expect(file("application/pdf", 100_000_000)).toBe(50_000);
    expect(file("text/plain", 3_500)).toBeCloseTo(1_000, -1);
    expect(file("audio/mpeg", 1_000_000)).toBe(1_500);
  });
});

describe("imageSize", () => {
  const size = { width: 640, height: 480 };

  it("reads PNG, GIF and the three kinds of WebP", () => {
    const text = (s: string): number[] => [...Buffer.from(s, "latin1")];
    const webp = [...text("RIFF"), 0, 0, 0, 0, ...text("WEBP")];
    expect(imageSize(png(640, 480))).toEqual(size);
    expect(imageSize(base64(...text("GIF89a"), 0x80, 2, 0xe0, 1, 0, 0))).toEqual(size);
    const lossy = [...text("VP8 "), 0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0xe0, 0x01];
    expect(imageSize(base64(...webp, ...lossy))).toEqual(size);
    const bits = 639 | (479 << 14);
    const lossless = [bits & 255, (bits >>> 8) & 255, (bits >>> 16) & 255, bits >>> 24];
    expect(imageSize(base64(...webp, ...text("VP8L"), 0, 0, 0, 0, 0x2f, ...lossless))).toEqual(
      size,
    );
    const extended = [...text("VP8X"), 10, 0, 0, 0, 0, 0, 0, 0, 0x7f, 2, 0, 0xdf, 1, 0];
    expect(imageSize(base64(...webp, ...extended))).toEqual(size);
  });

  it("finds a JPEG's frame header behind other segments", () => {
    const exif = [0xff, 0xe1, 0x01, 0x02, ...Buffer.alloc(256, 0xff)];
    const frame = [0xff, 0xc2, 0, 17, 8, 0x01, 0xe0, 0x02, 0x80, 3, 0, 0, 0, 0];
    expect(imageSize(base64(0xff, 0xd8, ...exif, 0xff, ...frame))).toEqual(size);
  });

  it("says so when it cannot tell", () => {
    for (const data of [
      "",
      "AAAA",
      "no base64 at all!",
      base64(0xff, 0xd8, 0xff, 0xe0),
      png(0, 9),
    ]) {
      expect(imageSize(data)).toBeUndefined();
    }
    expect(imageSize(base64(0xff, 0xd8, ...Buffer.alloc(999, 0xff)))).toBeUndefined();
  });
});

import zlib, { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { HAS_ZSTD } from "./zstd.ts";

const MOST = 1_000_000;

vi.mock("node:buffer", async (original) => {
  const real = await original<typeof import("node:buffer")>();
  return { ...real, constants: { ...real.constants, MAX_LENGTH: MOST } };
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.resetModules();
});

describe("a packed file", () => {
  it("that is more than Node.js can hold is refused with the bytes that it holds", async () => {
    const { readTranscript } = await import("../../src/transcripts/index.ts");
    const bomb = gzipSync(Buffer.alloc(MOST + 1, "\n"));
    const refused = readTranscript(bomb, { limits: { unpackedBytes: 2 * MOST } });
    await expect(refused).rejects.toMatchObject({
      code: "limit-exceeded",
      message: expect.stringMatching(/more than 1000000 bytes.*gzip -dc FILE > PLAIN/),
      details: { value: MOST },
    });
    const small = readTranscript(bomb, { limits: { unpackedBytes: 500 } });
    await expect(small).rejects.toThrow(/more than 500 bytes.*--limit unpackedBytes/);
  });

  it.runIf(HAS_ZSTD)("of zstd is unpacked once, never without a limit", async () => {
    const packer = zlib as unknown as Record<string, typeof gzipSync>;
    const unpack = vi.spyOn(packer, "zstdDecompressSync");
    vi.resetModules();
    const { packingOf } = await import("../../src/transcripts/packing.ts");
    const frames = [1, 2].map((at) => packer["zstdCompressSync"]!(`frame ${at}\n`.repeat(9_000)));
    const packed = Buffer.concat(frames);
    const whole = packingOf(packed)?.whole(packed, MOST);
    expect(whole?.toString()).toBe([1, 2].map((at) => `frame ${at}\n`.repeat(9_000)).join(""));
    const limits = unpack.mock.calls.map(([, options]) => options?.maxOutputLength);
    expect(limits).toEqual([MOST, MOST - whole!.length / 2]);
  });
});

import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, it, vi } from "vitest";
import { beginDigest, sha256Hex } from "../../src/archive/digest.ts";

it("is SHA-256 of the UTF-8 bytes, as lower-case hex", () => {
  expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(sha256Hex(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
    }),
  );
});

it("of pieces is that of the whole, and a copy goes on by itself", () => {
  const running = beginDigest?.();
  running?.add("zwölf ");
  const copy = running?.copy();
  copy?.add("😀");
  expect(copy?.hex()).toBe(sha256Hex("zwölf 😀"));
  expect(running?.hex()).toBe(sha256Hex("zwölf "));
});

it("is the same where Node's own code is not there", async () => {
  const builtin = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
  vi.resetModules();
  const { sha256Hex: plain } = await import("../../src/archive/digest.ts");
  builtin.mockRestore();
  expect(plain).not.toBe(sha256Hex);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(plain(text)).toBe(sha256Hex(text));
    }),
  );
});

it("hashes long texts in pieces that split no code point", () => {
  for (const text of [
    "a".repeat(65_535) + "😀".repeat(70_000),
    "\u{1f600}".repeat(65_536),
    "é".repeat(131_072),
  ]) {
    expect(sha256Hex(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
  }
});

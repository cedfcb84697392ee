import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { sha256Hex } from "../../src/archive/index.ts";

it("is SHA-256 of the UTF-8 bytes, as lower-case hex", () => {
  expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(sha256Hex(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
    }),
  );
});

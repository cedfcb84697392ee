import { isHigh } from "../core/text/utf8.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Digest } from "../core/message/index.ts";

/**
 * SHA-256. By Node's own code where that is there (ten times as fast), and in plain JavaScript
 * everywhere else; asking the process for the module keeps this file free of an import of it.
 */
export const sha256Hex: Digest = nativeDigest() ?? plainDigest;

/** In pieces whose bytes stay in the processor's cache, a large text takes half the time. */
const PIECE_UNITS = 65_536;

function nativeDigest(): Digest | undefined {
  const { process } = globalThis as { process?: Partial<typeof globalThis.process> };
  const crypto = process?.getBuiltinModule?.("node:crypto");
  if (crypto === undefined) return undefined;
  return (text) => {
    // Node 20.12 and newer; most texts are short, and half as dear without an object for each.
    if (text.length <= PIECE_UNITS && typeof crypto.hash === "function") {
      return crypto.hash("sha256", text);
    }
    const hash = crypto.createHash("sha256");
    for (let from = 0, to = 0; from < text.length; from = to) {
      to = from + PIECE_UNITS;
      // No piece ends within a code point.
      if (isHigh(text.charCodeAt(to - 1))) to--;
      hash.update(text.slice(from, to));
    }
    return hash.digest("hex");
  };
}

function plainDigest(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** From this length on a text is worth remembering; a head has megabytes, a tool output has not. */
const LARGE_UNITS = 65_536;

/**
 * A digest that remembers the last large text it was given: the head is named when a compaction is
 * planned and again when it is archived.
 */
export function rememberingDigest(digest: Digest): Digest {
  let last = { text: "", hex: "" };
  return (text) => {
    if (text.length < LARGE_UNITS) return digest(text);
    if (text !== last.text) last = { text, hex: digest(text) };
    return last.hex;
  };
}

import { isHigh } from "../core/text/utf8.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Digest } from "../core/message/index.ts";

/**
 * SHA-256. By Node's own code where that is there (ten times as fast), and in plain JavaScript
 * everywhere else; asking the process for the module keeps this file free of an import of it.
 */
export const sha256Hex: Digest = nativeDigest() ?? plainDigest;

function nativeDigest(): Digest | undefined {
  const { process } = globalThis as { process?: Partial<typeof globalThis.process> };
  const crypto = process?.getBuiltinModule?.("node:crypto");
  if (crypto === undefined) return undefined;
  return (text) => {
    const hash = crypto.createHash("sha256");
    for (const piece of piecesOf(text)) hash.update(piece);
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

/** A large text is worked on in pieces, whose bytes stay in the processor's cache. */
const PIECE_UNITS = 65_536;

/** The pieces of a text in order; none ends within a code point. */
export function* piecesOf(text: string): Generator<string> {
  if (text.length <= PIECE_UNITS) {
    yield text;
    return;
  }
  for (let from = 0; from < text.length;) {
    const to = wholeEnd(text, from + PIECE_UNITS);
    yield text.slice(from, to);
    from = to;
  }
}

/** The end of a piece, moved so that it does not split a code point. */
function wholeEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  return isHigh(text.charCodeAt(at - 1)) ? at - 1 : at;
}

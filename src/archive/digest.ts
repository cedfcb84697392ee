import { isHigh, utf8Length } from "../core/text/utf8.ts";
import type { Hash } from "node:crypto";
import type { Digest, Piece, RunningDigest } from "../core/message/index.ts";

/**
 * Node's own code, where it is there. An import of the module would keep this file out of a Worker,
 * and loads the whole of WebCrypto beside it.
 */
const { process } = globalThis as { process?: Partial<typeof globalThis.process> };
const native = process?.getBuiltinModule?.("node:crypto");

/** SHA-256 of a text as UTF-8: by Node (ten times as fast), and in plain JavaScript elsewhere. */
export const sha256Hex: Digest = native === undefined ? plainDigest : nativeDigest;

export function sha256OfBytes(bytes: Uint8Array): string {
  return native?.createHash("sha256").update(bytes).digest("hex") ?? plainSha256(bytes);
}

/** Begins a SHA-256 of a text in pieces, none of which ends within a code point; only Node has one. */
export const beginDigest: (() => RunningDigest) | undefined =
  native && (() => runningDigest(native.createHash("sha256")));

function runningDigest(hash: Hash): RunningDigest {
  return {
    add: (piece) => void hash.update(piece),
    copy: () => runningDigest(hash.copy()),
    hex: () => hash.digest("hex"),
  };
}

/** Sixteen hex digits that nobody can guess. */
export function randomDigits(): string {
  if (native !== undefined) return native.randomBytes(8).toString("hex");
  return hexOf(crypto.getRandomValues(new Uint32Array(2)));
}

/** The length of a text in UTF-8. */
export function byteLength(text: Piece): number {
  if (typeof text !== "string") return text.length;
  const { Buffer } = globalThis as Partial<Pick<typeof globalThis, "Buffer">>;
  return Buffer?.byteLength(text) ?? utf8Length(text);
}

/** In pieces whose bytes stay in the processor's cache, a large text takes half the time. */
const PIECE_UNITS = 65_536;

function nativeDigest(text: string): string {
  const { createHash, hash } = native as NonNullable<typeof native>;
  // Node 20.12 and newer; most texts are short, and half as dear without an object for each.
  if (text.length <= PIECE_UNITS && typeof hash === "function") return hash("sha256", text);
  const whole = createHash("sha256");
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = from + PIECE_UNITS;
    // No piece ends within a code point.
    if (isHigh(text.charCodeAt(to - 1))) to--;
    whole.update(text.slice(from, to));
  }
  return whole.digest("hex");
}

function plainDigest(text: string): string {
  return plainSha256(new TextEncoder().encode(text));
}

const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;

/** SHA-256 as FIPS 180-4 describes it. */
function plainSha256(bytes: Uint8Array): string {
  const { start, rounds } = (constants ??= createConstants());
  const state = start.slice();
  const words = new Int32Array(BLOCK_BYTES);
  const rest = bytes.length % BLOCK_BYTES;
  const whole = bytes.length - rest;
  for (let at = 0; at < whole; at += BLOCK_BYTES) mix(state, { bytes, at, rounds, words });
  const isLong = rest + 1 + LENGTH_BYTES > BLOCK_BYTES;
  const last = new Uint8Array(isLong ? 2 * BLOCK_BYTES : BLOCK_BYTES);
  last.set(bytes.subarray(whole));
  last[rest] = 0x80;
  // The length in bits, as 64 bits.
  const length = new DataView(last.buffer, last.length - LENGTH_BYTES);
  length.setUint32(0, Math.floor(bytes.length / 2 ** 29));
  length.setUint32(4, bytes.length << 3);
  for (let at = 0; at < last.length; at += BLOCK_BYTES) {
    mix(state, { bytes: last, at, rounds, words });
  }
  return hexOf(new Uint32Array(state.buffer));
}

interface Block {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly rounds: Int32Array;
  /** The message schedule; its memory is used again for the next block. */
  readonly words: Int32Array;
}

function mix(state: Int32Array, { bytes, at, rounds, words }: Block): void {
  const word = (n: number): number => words[n] as number;
  const block = new DataView(bytes.buffer, bytes.byteOffset + at, BLOCK_BYTES);
  for (let n = 0; n < 16; n++) words[n] = block.getInt32(4 * n);
  for (let n = 16; n < 64; n++) {
    const [early, late] = [word(n - 15), word(n - 2)];
    const low = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const high = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[n] = word(n - 16) + low + word(n - 7) + high;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as Eight;
  for (let n = 0; n < 64; n++) {
    const choice = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g));
    const majority = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    const first = h + choice + (rounds[n] as number) + word(n);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + majority) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, n) => (state[n] = (state[n] as number) + value));
}

type Eight = [number, number, number, number, number, number, number, number];

function turned(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

interface Constants {
  readonly start: Int32Array;
  readonly rounds: Int32Array;
}

let constants: Constants | undefined;

/** The first 32 binary places of the square and of the cube roots of the first primes. */
function createConstants(): Constants {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
  const places = (root: number): number => ((root % 1) * 2 ** 32) | 0;
  return {
    start: Int32Array.from(primes.slice(0, 8), (prime) => places(Math.sqrt(prime))),
    rounds: Int32Array.from(primes, (prime) => places(Math.cbrt(prime))),
  };
}

function hexOf(words: Uint32Array): string {
  return Array.from(words, (word) => word.toString(16).padStart(8, "0")).join("");
}
